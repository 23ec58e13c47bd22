import Foundation
import ManagedApp
import SwiftASN1
import Synchronization
import X509

/// One evaluation of a certificate.
///
/// swift-certificates builds the chains and checks RFC 5280; what is here bounds the search, adds the rules of the
/// policies, and names the rule that was broken.
struct TrustEvaluation: Sendable {
    /// Whether a certificate can be judged as of a moment: one that X.509 can write, from 1950 to 9999.
    static func canJudge(_ date: Date) -> Bool {
        // As a number, since a date that is none compares as if it were inside.
        (-631_152_000.0...253_402_300_799).contains(date.timeIntervalSince1970)
    }

    // Reading the system's anchors is all that is waited for.
    private static let longestWait = 30.0

    let leaf: Certificate
    let intermediates: [Certificate]
    let settings: SecTrust.Settings
    let date: Date

    func outcome() -> TrustOutcome {
        guard Self.canJudge(date) else {
            return .untrusted(Distrust(errSecNotTrusted, "The device's clock shows a time that no certificate has."))
        }
        return WaitingThread.run(atMost: Self.longestWait) { await evaluate() }
            ?? .untrusted(Distrust(errSecInternalComponent, "The system's anchors could not be read in time."))
    }

    private func evaluate() async -> TrustOutcome {
        let rules = TrustRules(settings.policies, date: date)
        if leaf.extensions.contains(where: { $0.critical && !rules.verifyingCriticalExtensions.contains($0.oid) }) {
            return .untrusted(
                Distrust(
                    errSecUnknownCriticalExtensionFlag,
                    "The certificate has a critical extension that is not checked for this use."))
        }
        let search = BoundedSearch(intermediates)
        let anchors =
            settings.usesSystemAnchors
            ? CertificateStore.systemTrustRoots.appending(contentsOf: settings.anchors)
            : CertificateStore(settings.anchors)
        var verifier = Verifier(rootCertificates: anchors) { rules }
        switch await verifier.validate(leaf: leaf, intermediates: CertificateStore(custom: search)) {
        case .validCertificate(let chain):
            let certificates = chain.compactMap(SecCertificate.read)
            guard certificates.count == chain.count else {
                return .untrusted(Distrust(errSecNotTrusted, "A certificate of the chain cannot be represented."))
            }
            return .trusted(certificates)
        case .couldNotValidate:
            return .untrusted(rules.firstDistrust ?? search.distrust)
        }
    }
}

/// The intermediates that a search may use, for a bounded number of questions.
///
/// Certificates that issue each other make more chains than anybody can try. The bound keeps their sender from deciding
/// how long an evaluation takes.
final class BoundedSearch: CustomCertificateStore {
    static let mostQuestions = 64

    private struct State {
        var certificates: [DistinguishedName: [Certificate]]
        var questions = 0
        var isIncomplete = false
    }

    private let state: Mutex<State>

    init(_ certificates: [Certificate]) {
        state = Mutex(State(certificates: Dictionary(grouping: certificates, by: \.subject)))
    }

    subscript(subject: DistinguishedName) -> [Certificate]? {
        state.withLock {
            $0.questions += 1
            guard $0.questions <= Self.mostQuestions else { return nil }
            let found = $0.certificates[subject]
            if found == nil { $0.isIncomplete = true }
            return found
        }
    }

    func contains(_ certificate: Certificate) -> Bool {
        state.withLock { $0.certificates[certificate.subject]?.contains(certificate) ?? false }
    }

    func append(contentsOf certificates: some Sequence<Certificate>) {
        let certificates = Array(certificates)
        state.withLock { state in
            for certificate in certificates { state.certificates[certificate.subject, default: []].append(certificate) }
        }
    }

    /// Why no chain ended at an anchor.
    var distrust: Distrust {
        state.withLock {
            if $0.questions > Self.mostQuestions {
                Distrust(errSecNotTrusted, "The certificates form more chains than are tried.")
            } else if $0.isIncomplete {
                Distrust(
                    errSecCreateChainFailed,
                    "The issuer of a certificate is neither among the certificates nor an anchor.")
            } else {
                Distrust(errSecNotTrusted, "The chain does not end at an anchor.")
            }
        }
    }

    static func == (left: BoundedSearch, right: BoundedSearch) -> Bool { left === right }

    func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}

extension SecCertificate {
    /// The certificate out of one that swift-certificates has read.
    fileprivate static func read(_ certificate: Certificate) -> SecCertificate? {
        var serializer = DER.Serializer()
        guard (try? serializer.serialize(certificate)) != nil else { return nil }
        return SecCertificateCreateWithData(nil, Data(serializer.serializedBytes))
    }
}
