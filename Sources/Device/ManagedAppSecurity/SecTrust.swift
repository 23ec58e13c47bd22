import Foundation
import ManagedApp
import SwiftASN1
import Synchronization
import X509

/// A certificate, those sent along with it, and what it must meet to be trusted, as Apple's Security framework names it.
///
/// It is evaluated by swift-certificates, on the thread that asks; nothing is fetched over the network. Revocation is
/// not checked.
public final class SecTrust: Sendable {
    /// The largest number of certificates of one chain.
    static let mostCertificates = 16

    /// The largest number of anchors.
    static let mostAnchors = 128

    struct Settings: Sendable {
        var policies: [SecPolicy]
        var anchors: [Certificate] = []
        /// Whether the authorities that the system trusts are anchors, too.
        var usesSystemAnchors = true
        /// Nil for the time of the evaluation.
        var date: Date?
        /// Nil until the trust is evaluated with these settings.
        var outcome: TrustOutcome?
    }

    let leaf: Certificate
    let intermediates: [Certificate]
    private let settings: Mutex<Settings>

    /// Takes what it is to judge; nil when the first certificate cannot be read or there are too many.
    init?(_ certificates: [SecCertificate], _ policies: [SecPolicy]) {
        guard (1...Self.mostCertificates).contains(certificates.count), !policies.isEmpty,
            policies.count <= Self.mostCertificates, let leaf = certificates.first?.parsed
        else { return nil }
        self.leaf = leaf
        // One that cannot be read issues nothing: without it there are fewer chains, never more.
        intermediates = certificates.dropFirst().compactMap(\.parsed)
        settings = Mutex(Settings(policies: policies))
    }

    /// Changes what counts; an earlier outcome does not hold any more.
    func change(_ change: (inout Settings) -> Void) {
        settings.withLock { settings in
            change(&settings)
            settings.outcome = nil
        }
    }

    /// Judges the certificates as of now, or as of the date that was set.
    func evaluate() -> TrustOutcome {
        let settings = self.settings.withLock { $0 }
        let outcome = TrustEvaluation(
            leaf: leaf, intermediates: intermediates, settings: settings, date: settings.date ?? Date()
        ).outcome()
        self.settings.withLock { $0.outcome = outcome }
        return outcome
    }

    /// The chain from the certificate to the anchor, of the last evaluation or of one that is made now; nil when the
    /// certificate is not trusted.
    func trustedChain() -> [SecCertificate]? {
        guard case .trusted(let chain) = settings.withLock({ $0.outcome }) ?? evaluate() else { return nil }
        return chain
    }
}

/// What an evaluation came to.
enum TrustOutcome: Sendable {
    case trusted([SecCertificate])
    case untrusted(Distrust)
}

/// Why a chain is not trusted.
struct Distrust: Sendable {
    let status: OSStatus
    let rule: String

    init(_ status: OSStatus, _ rule: String) {
        self.status = status
        self.rule = rule
    }
}

extension SecCertificate {
    /// The certificate as swift-certificates reads it; nil for one with a key that it does not know.
    var parsed: Certificate? { try? Certificate(derEncoded: [UInt8](derRepresentation)) }
}
