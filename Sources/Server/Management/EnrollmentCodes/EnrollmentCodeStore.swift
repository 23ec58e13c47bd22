package import ACME
package import Foundation

/// Enrollment codes and the certificates issued for them, as a store keeps them.
package protocol EnrollmentCodeStore: Sendable {
    func addEnrollmentCode(_ code: EnrollmentCode, digest: Data) async throws -> AdminRefusal?
    func enrollmentCode(digest: Data) async throws -> EnrollmentCode?
    /// The codes that administrators made, the newest first.
    func enrollmentCodes(_ page: PageRequest) async throws -> Page<EnrollmentCode>
    func revokeEnrollmentCode(id: String, author: String, now: Date) async throws -> AdminRefusal?
    /// Binds the code to the first request that presents it; see `Redemption`.
    func redeem(
        digest: Data, transactionID: String, publicKeyDigest: Data, now: Date
    ) async throws -> Outcome<RedeemedCode, CodeRefusal>
    /// Writes a certificate down; the code must have been redeemed with its key and not be spent.
    func recordIssued(_ certificate: IssuedCertificate) async throws -> CodeRefusal?
    /// Whether the code of the certificate's enrollment, or of the enrollment that it renews, allowed legacy cryptography.
    func allowsLegacyCryptography(fingerprint: Data) async throws -> Bool
    func issuedCertificate(fingerprint: Data) async throws -> IssuedCertificate?
    func issuedCertificate(serial: String) async throws -> IssuedCertificate?

    /// Keeps an order by ACME, if its identifier is a code that is good; the code is used when the order is finalized.
    func addEnrollmentOrder(_ draft: ACMEOrderDraft, attest: Bool) async throws -> Outcome<ACMEOrder, ACMEProblem>
    /// The code of an order, as long as it is good.
    func enrollmentCode(ofOrder id: String) async throws -> EnrollmentCode?
    /// Changes an order as its rules say; its code must be good at that moment.
    func changeEnrollmentOrder(
        id: String, _ change: ACMEOrder.Change, now: Date
    ) async throws -> Outcome<ACMEOrder, ACMEProblem>
    /// Uses the order's code as `Redemption` says, keeps the certificate, and finalizes the order, in one transaction; for
    /// a key that got a certificate by the code before, with that.
    func finalizeEnrollmentOrder(
        id: String, publicKeyDigest: Data, certificate: @escaping @Sendable (_ codeID: String) -> IssuedCertificate,
        now: Date
    ) async throws -> Outcome<ACMEOrder, ACMEProblem>
}

/// Decides whether a certificate request may use a code: once, or again for the same key.
///
/// The transaction does not count: anybody who copied a request can send it under another transaction, and must not lock
/// out the device whose request it is.
package struct Redemption: Sendable {
    package let code: EnrollmentCode
    package let publicKeyDigest: Data?

    package init(code: EnrollmentCode, publicKeyDigest: Data?) {
        self.code = code
        self.publicKeyDigest = publicKeyDigest
    }

    /// What stands for the transaction of a request by ACME: its orders come and go, and its key tells who it is.
    package static let acmeTransaction = "acme"

    /// Nothing when the request may go on.
    package func refusal(ofKey digest: Data, now: Date) -> CodeRefusal? {
        switch code.state {
        case .revoked: return .revoked
        case .spent: return .used
        case .unused: return now < code.expires ? nil : .expired
        case .redeemed:
            // The request was let through in time; repeating it after a lost answer is not a new use.
            return publicKeyDigest == digest ? nil : .wrongKey
        }
    }
}
