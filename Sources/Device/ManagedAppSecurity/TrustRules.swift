import Foundation
import ManagedApp
import SwiftASN1
import Synchronization
@_spi(FixedExpiryValidationTime) import X509

/// What a chain must meet: RFC 5280 as swift-certificates checks it, what it leaves to others, and the policies.
struct TrustRules: VerifierPolicy {
    private let basics: RFC5280Policy
    private let policies: [SecPolicy]
    private let date: Date
    private let found = FirstDistrust()

    init(_ policies: [SecPolicy], date: Date) {
        basics = RFC5280Policy(fixedExpiryValidationTime: date)
        self.policies = policies
        self.date = date
    }

    /// What was wrong with the first chain that was judged.
    var firstDistrust: Distrust? { found.value }

    /// Besides those of RFC 5280 the names, and the extended key usage where a policy has a use.
    var verifyingCriticalExtensions: [ASN1ObjectIdentifier] {
        let usage: [ASN1ObjectIdentifier] =
            policies.contains { $0.usage != nil } ? [.X509ExtensionID.extendedKeyUsage] : []
        return basics.verifyingCriticalExtensions + [.X509ExtensionID.subjectAlternativeName] + usage
    }

    func chainMeetsPolicyRequirements(chain: UnverifiedCertificateChain) -> PolicyEvaluationResult {
        guard let broken = distrust(of: chain) else { return .meetsPolicy }
        found.note(broken)
        return .failsToMeetPolicy(reason: broken.rule)
    }

    private func distrust(of chain: UnverifiedCertificateChain) -> Distrust? {
        if case .failsToMeetPolicy(_) = basics.chainMeetsPolicyRequirements(chain: chain) {
            return brokenBasics(of: chain)
        }
        // An anchor is trusted for its name and key; the rules for other certificates do not apply to it.
        let judged = chain.count == 1 ? Array(chain) : Array(chain.dropLast())
        if judged.contains(where: { $0.signatureAlgorithm == .sha1WithRSAEncryption }) {
            return Distrust(errSecNotTrusted, "A certificate is signed with SHA-1.")
        }
        for issuer in judged.dropFirst() {
            // RFC5280Policy lets issuers of version 1 pass, which cannot say that they are authorities.
            guard issuer.isAuthority else { return .noAuthority }
            guard issuer.mayIssue else {
                return Distrust(
                    errSecInvalidKeyUsageForPolicy, "The key usage of an issuer does not include signing certificates.")
            }
        }
        for policy in policies {
            if let usage = policy.usage, !judged.allSatisfy({ $0.mayBeUsed(for: usage) }) {
                return Distrust(
                    errSecInvalidExtendedKeyUsage, "The extended key usage of a certificate excludes this use.")
            }
            if case .server(let name?) = policy.purpose, !lists(name, chain) {
                return Distrust(
                    errSecHostNameMismatch,
                    "The subject alternative names of the certificate do not include the server's name.")
            }
        }
        return nil
    }

    // The decision was made; this names it.
    private func brokenBasics(of chain: UnverifiedCertificateChain) -> Distrust {
        if chain.contains(where: { $0.notValidAfter < date }) {
            return Distrust(errSecCertificateExpired, "A certificate of the chain has expired.")
        }
        if chain.contains(where: { $0.notValidBefore > date }) {
            return Distrust(errSecCertificateNotValidYet, "A certificate of the chain is not valid yet.")
        }
        let issuers = chain.count == 1 ? Array(chain) : Array(chain.dropFirst())
        if issuers.contains(where: { $0.version != .v1 && !$0.isAuthority }) { return .noAuthority }
        return Distrust(errSecNotTrusted, "The chain breaks a constraint on path length, names or versions.")
    }

    private func lists(_ name: String, _ chain: UnverifiedCertificateChain) -> Bool {
        // Without this swift-certificates would look at the common name.
        guard let names = try? chain.leaf.extensions.subjectAlternativeNames, !names.isEmpty else { return false }
        // No top-level domain is a number, and no name has a colon.
        let isAddress = name.contains(":") || name.split(separator: ".").last.map { Int($0) != nil } ?? false
        var policy = ServerIdentityPolicy(serverHostname: isAddress ? nil : name, serverIP: isAddress ? name : nil)
        guard case .meetsPolicy = policy.chainMeetsPolicyRequirements(chain: chain) else { return false }
        return true
    }
}

extension Distrust {
    fileprivate static let noAuthority = Distrust(
        errSecNoBasicConstraintsCA, "An issuer of the chain is no certificate authority.")
}

/// What was wrong with the first of several chains.
private final class FirstDistrust: Sendable {
    private let state = Mutex<Distrust?>(nil)

    var value: Distrust? { state.withLock { $0 } }

    func note(_ distrust: Distrust) {
        state.withLock { $0 = $0 ?? distrust }
    }
}

extension SecPolicy {
    /// The use of the certificate, for its extended key usage.
    fileprivate var usage: ExtendedKeyUsage.Usage? {
        switch purpose {
        case .any: nil
        case .server: .serverAuth
        case .client: .clientAuth
        }
    }
}

// What cannot be read does not allow anything.
extension Certificate {
    fileprivate var isAuthority: Bool {
        guard case .some(.isCertificateAuthority) = try? extensions.basicConstraints else { return false }
        return true
    }

    fileprivate var mayIssue: Bool {
        do {
            return try extensions.keyUsage?.keyCertSign ?? true
        } catch {
            return false
        }
    }

    fileprivate func mayBeUsed(for usage: ExtendedKeyUsage.Usage) -> Bool {
        do {
            guard let allowed = try extensions.extendedKeyUsage else { return true }
            return allowed.contains(usage) || allowed.contains(.any)
        } catch {
            return false
        }
    }
}
