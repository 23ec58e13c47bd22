import CertificateAuthority
import Crypto
import Foundation
import Management
import SCEP

/// Issues certificates of apps' identities for requests that carry the challenge of a credential document.
struct IdentityIssuer: SCEPIssuer {
    let management: Management
    let authority: Authority
    let work: SlowWork
    let now: @Sendable () -> Date

    var noun: String { "identity" }
    var mayTakeLegacy: Bool { false }

    func certificate(for request: SCEPRequest) async throws -> Data {
        try management.requireCertifying()
        guard request.messageType == .certificateRequest else {
            throw SCEPIssuerRefusal(.badRequest, "an identity is renewed by a new document with a new challenge")
        }
        guard let text = request.csr.challengePassword else {
            throw SCEPIssuerRefusal(.badRequest, "a certificate request carries a challenge")
        }
        let challenge: SCEPChallenge
        switch try await management.examine(
            challenge: text, transactionID: request.transactionID, publicKeyDigest: request.csr.publicKeyDigest)
        {
        case .refused(let refusal): throw SCEPIssuerRefusal(.badRequest, refusal.reason)
        case .accepted(let found): challenge = found
        }
        let fresh: IssuedIdentity
        do {
            fresh = try await work.run { [authority, lifetime = management.lifetimes.identity, moment = now()] in
                try authority.issue(
                    publicKeyInfo: request.csr.publicKeyDER, profile: challenge.profile, lifetime: lifetime,
                    now: moment)
            }
        } catch is IssuanceRefusal {
            throw SCEPIssuerRefusal(.badRequest, "the key of a certificate request is of the kind and size demanded")
        }
        switch try await management.issue(
            fresh, for: challenge, transactionID: request.transactionID, publicKeyDigest: request.csr.publicKeyDigest)
        {
        case .refused(let refusal): throw SCEPIssuerRefusal(.badRequest, refusal.reason)
        case .accepted(let certificate): return certificate.issued.der
        }
    }
}

extension Authority {
    /// Makes the certificate of an identity, with what is to be written down of it.
    ///
    /// The present settings decide its lifetime, not those from when the right to it was given.
    func issue(
        publicKeyInfo: Data, profile: IdentityProfile, lifetime: TimeInterval, now moment: Date
    ) throws -> IssuedIdentity {
        var profile = profile
        profile.validity = lifetime
        let serial = CertificateSerial.random()
        let der = try issueIdentity(publicKeyDER: publicKeyInfo, profile: profile, now: moment, serial: serial)
        return IssuedIdentity(
            serial: Hexadecimal.text(serial.bytes), fingerprint: Data(SHA256.hash(data: der)), der: der,
            issued: Date(timeIntervalSince1970: moment.timeIntervalSince1970.rounded(.down)),
            notAfter: Date(timeIntervalSince1970: (moment + profile.validity).timeIntervalSince1970.rounded(.down)))
    }
}
