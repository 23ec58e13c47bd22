package import ACME
package import Foundation

/// Accounts, rights to order, orders and their certificates, as a store keeps them.
package protocol ACMEStore: Sendable {
    /// Keeps a new account; where the key has one already, that one is the answer.
    func openACMEAccount(_ account: ACMEAccount) async throws -> OpenedACMEAccount
    func acmeAccount(id: String) async throws -> ACMEAccount?
    func acmeAccount(thumbprint: String) async throws -> ACMEAccount?
    /// Changes an account as its rules say; a key that belongs to another account is refused.
    func changeACMEAccount(id: String, _ change: ACMEAccount.Change) async throws -> Outcome<ACMEAccount, ACMEProblem>

    /// Keeps a right to order; those that the same device had for the same secret are superseded.
    func addACMEGrant(_ grant: ACMEGrant) async throws
    /// Takes the right back from a device, or from all: orders under way end as well.
    func withdrawACMEGrants(secret: String, device: String?) async throws
    /// Keeps an order, if its identifier's right is the account's; the first order takes the right for its account.
    func addACMEOrder(_ draft: ACMEOrderDraft) async throws -> Outcome<ACMEOrder, ACMEProblem>
    func acmeOrder(id: String) async throws -> ACMEOrder?
    /// Changes an order as its rules say, and keeps the certificate that finalizes it in the same transaction.
    func changeACMEOrder(
        id: String, _ change: ACMEOrder.Change, certificate: IdentityCertificate?, now: Date
    ) async throws -> Outcome<ACMEOrder, ACMEProblem>

    func identityCertificate(fingerprint: Data) async throws -> IdentityCertificate?
    func identityCertificate(serial: String) async throws -> IdentityCertificate?
    /// Revokes once; a second time is refused.
    func revokeIdentity(fingerprint: Data, reason: Int, now: Date) async throws -> ACMEProblem?
    /// What a list of revoked certificates must name at a moment.
    func revokedIdentities(now: Date) async throws -> [IdentityCertificate]
}

/// An account, and whether it is new.
package struct OpenedACMEAccount: Sendable, Equatable {
    package let account: ACMEAccount
    package let isNew: Bool

    package init(account: ACMEAccount, isNew: Bool) {
        self.account = account
        self.isNew = isNew
    }
}

/// A new order, before it is known what its identifier's right says.
package struct ACMEOrderDraft: Sendable {
    package let id: String
    package let account: String
    package let identifier: ACMEIdentifier
    /// SHA-256 of the identifier.
    package let grant: Data
    package let token: String
    package let now: Date

    /// Orders of one account that are under way: a device has one, or two when an answer was lost.
    package static let open = 20

    package init(id: String, account: String, identifier: ACMEIdentifier, grant: Data, token: String, now: Date) {
        self.id = id
        self.account = account
        self.identifier = identifier
        self.grant = grant
        self.token = token
        self.now = now
    }
}

/// The certificate of an app's identity, written down before it leaves.
package struct IdentityCertificate: Sendable, Equatable {
    /// Lowercase hexadecimal.
    package let serial: String
    /// SHA-256 of the certificate.
    package let fingerprint: Data
    package let der: Data
    /// The account that ordered it.
    package let account: String
    package let issued: Date
    package let notAfter: Date
    package let revoked: Date?
    package let reason: Int

    package init(
        serial: String, fingerprint: Data, der: Data, account: String, issued: Date, notAfter: Date,
        revoked: Date? = nil, reason: Int = 0
    ) {
        self.serial = serial
        self.fingerprint = fingerprint
        self.der = der
        self.account = account
        self.issued = issued
        self.notAfter = notAfter
        self.revoked = revoked
        self.reason = reason
    }
}
