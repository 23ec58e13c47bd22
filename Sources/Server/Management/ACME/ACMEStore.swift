package import ACME
package import Foundation

/// Accounts, rights to order and orders, as a store keeps them.
package protocol ACMEStore: Sendable {
    /// Keeps a new account; where the key has one already, that one is the answer.
    func openACMEAccount(_ account: ACMEAccount) async throws -> OpenedACMEAccount
    func acmeAccount(id: String) async throws -> ACMEAccount?
    func acmeAccount(thumbprint: String) async throws -> ACMEAccount?
    /// Changes an account as its rules say; a key that is an account's already is refused.
    func changeACMEAccount(id: String, _ change: ACMEAccount.Change) async throws -> Outcome<ACMEAccount, ACMEProblem>

    /// Keeps a right to order: those to other versions of the secret, and the oldest to this one, are superseded.
    func addACMEGrant(_ grant: ACMEGrant) async throws
    /// Keeps an order, if its identifier's right is the account's and the secret is the device's at that moment; the
    /// first order takes the right for its account.
    func addACMEOrder(_ draft: ACMEOrderDraft) async throws -> Outcome<ACMEOrder, ACMEProblem>
    func acmeOrder(id: String) async throws -> ACMEOrder?
    /// The identifiers of an account's orders for a purpose that are not invalid, in their order: at most `limit`, those
    /// after `cursor`.
    func acmeOrders(
        account: String, for purpose: ACMEOrder.Purpose, after cursor: String, limit: Int, now: Date
    ) async throws -> [String]
    /// The device whose right an order was placed by.
    func device(ofACMEOrder id: String) async throws -> Device?
    /// Changes an order as its rules say, and keeps the certificate that finalizes it in the same transaction; the secret
    /// must be the device's at that moment.
    func changeACMEOrder(
        id: String, _ change: ACMEOrder.Change, certificate: IssuedIdentity?, now: Date
    ) async throws -> Outcome<ACMEOrder, ACMEProblem>
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

/// A part of an account's list of orders.
package struct ACMEOrderList: Sendable, Equatable {
    /// By their identifiers.
    package let orders: [String]
    /// After which one the list goes on; nothing at its end.
    package let next: String?

    /// Orders of one answer.
    package static let length = 100

    /// Takes one more than `length` where there are more.
    package init(_ found: [String]) {
        orders = Array(found.prefix(Self.length))
        next = found.count > Self.length ? orders.last : nil
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
