import CertificateAuthority
import Synchronization

/// The eras of the store, which do not change while a server has it: a restore needs it for itself.
final class KnownEras: Sendable {
    private let known = Mutex<[Era]?>(nil)

    func all(_ load: () async throws -> [Era]) async throws -> [Era] {
        if let eras = known.withLock({ $0 }) { return eras }
        let eras = try await load()
        known.withLock { $0 = eras }
        return eras
    }
}

extension Management {
    /// Lets a device in by a certificate that a restore lost the record of, if `Readmission` says so.
    ///
    /// A refusal changes nothing: the request is judged by the pinned certificate, as any other.
    package func readmit(_ shown: ShownIdentity, as device: String) async throws {
        let eras = try await eras.all { try await store.eras() }
        // Most stores were never restored, and most certificates are not of such a time: they cost no look into the store.
        guard eras.contains(where: { $0.mayHaveLost(shown.issued) }), let context = try await context(device),
            context.fingerprint != shown.fingerprint, context.previousFingerprint != shown.fingerprint
        else { return }
        guard try await store.readmit(shown, as: device, now: moment).value != nil else { return }
        contexts.forget(device)
    }

    /// The name in the certificate that a right to renew leads to; nothing for the first certificate of an enrollment.
    ///
    /// It is the name of the certificate before, so that the name identifies the device if the record is lost.
    package func certificateName(renewedBy code: EnrollmentCode?) async throws -> String? {
        guard let device = code?.renews, let context = try await context(device),
            let pinned = try await store.issuedCertificate(fingerprint: context.fingerprint)
        else { return nil }
        return Authority.commonName(of: pinned.certificateDER)
    }
}
