package import ACME
package import Foundation

extension Management {
    /// Places an order by ACME for the identity of an enrollment; the identifier is the code, or the right to renew.
    package func orderEnrollment(
        _ request: ACMEOrderRequest, account: String
    ) async throws -> Outcome<ACMEOrder, ACMEProblem> {
        guard let means = settings.enrollmentOffer?.means, means != .scep else { return .refused(.unknownIdentifier) }
        let draft = ACMEOrderDraft(
            id: Hexadecimal.text(random(16)), account: account, identifier: request.identifier,
            grant: Self.digest(request.identifier.value), token: Base64URL.encode(random(32)), now: moment)
        return try await store.addEnrollmentOrder(draft, attest: means == .attestedACME)
    }

    /// The code by which an order was placed, as long as it is good.
    package func enrollmentCode(ofOrder id: String) async throws -> EnrollmentCode? {
        try await store.enrollmentCode(ofOrder: id)
    }

    package func changeEnrollmentOrder(
        _ id: String, _ change: ACMEOrder.Change
    ) async throws -> Outcome<ACMEOrder, ACMEProblem> {
        try await store.changeEnrollmentOrder(id: id, change, now: moment)
    }

    /// Uses the code for the key that was certified, and writes the certificate down; the same key again is no second use
    /// and gets what it got before.
    ///
    /// Only after this has answered may the certificate leave.
    package func finalizeEnrollment(
        order: String, publicKeyDigest: Data, certificate: @escaping @Sendable (_ codeID: String) -> IssuedCertificate
    ) async throws -> Outcome<ACMEOrder, ACMEProblem> {
        try await store.finalizeEnrollmentOrder(
            id: order, publicKeyDigest: publicKeyDigest, certificate: certificate, now: moment)
    }

    package func issuedCertificate(serial: String) async throws -> IssuedCertificate? {
        try await store.issuedCertificate(serial: serial)
    }
}
