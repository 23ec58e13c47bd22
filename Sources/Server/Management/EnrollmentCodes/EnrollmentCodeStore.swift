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
    func issuedCertificate(fingerprint: Data) async throws -> IssuedCertificate?
}

/// Decides whether a certificate request may use a code: once, or again if it is the same request.
package struct Redemption: Sendable {
    package let code: EnrollmentCode
    package let transactionID: String?
    package let publicKeyDigest: Data?

    package init(code: EnrollmentCode, transactionID: String?, publicKeyDigest: Data?) {
        self.code = code
        self.transactionID = transactionID
        self.publicKeyDigest = publicKeyDigest
    }

    /// Nothing when the request may go on.
    package func refusal(ofTransaction id: String, publicKeyDigest digest: Data, now: Date) -> CodeRefusal? {
        switch code.state {
        case .revoked: return .revoked
        case .spent: return .used
        case .unused: return now < code.expires ? nil : .expired
        case .redeemed:
            // The request was let through in time; repeating it after a lost answer is not a new use.
            guard publicKeyDigest == digest else { return .wrongKey }
            return transactionID == id ? nil : .used
        }
    }
}
