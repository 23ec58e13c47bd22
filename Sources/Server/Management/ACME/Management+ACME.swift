package import ACME
import CertificateAuthority
import Crypto
package import Foundation

extension Management {
    // MARK: Accounts

    package func openACMEAccount(
        _ request: ACMEAccountRequest, key: JSONWebKey
    ) async throws -> Outcome<OpenedACMEAccount, ACMEProblem> {
        if request.onlyReturnExisting {
            guard let account = try await store.acmeAccount(thumbprint: key.thumbprint) else {
                return .refused(ACMEProblem(.accountDoesNotExist, "No account has the key."))
            }
            return .accepted(OpenedACMEAccount(account: account, isNew: false))
        }
        let account = ACMEAccount(
            id: Hexadecimal.text(random(16)), key: key, contacts: request.contacts, created: moment)
        return .accepted(try await store.openACMEAccount(account))
    }

    package func acmeAccount(key: JSONWebKey) async throws -> ACMEAccount? {
        try await store.acmeAccount(thumbprint: key.thumbprint)
    }

    package func acmeAccount(id: String) async throws -> ACMEAccount? { try await store.acmeAccount(id: id) }

    package func changeACMEAccount(
        id: String, _ change: ACMEAccount.Change
    ) async throws -> Outcome<ACMEAccount, ACMEProblem> {
        try await store.changeACMEAccount(id: id, change)
    }

    // MARK: Orders

    package func orderCertificate(
        _ request: ACMEOrderRequest, account: String
    ) async throws -> Outcome<ACMEOrder, ACMEProblem> {
        let draft = ACMEOrderDraft(
            id: Hexadecimal.text(random(16)), account: account, identifier: request.identifier,
            grant: Self.digest(request.identifier.value), token: Base64URL.encode(random(32)), now: moment)
        return try await store.addACMEOrder(draft)
    }

    /// An order of this account for this purpose; another looks like none.
    package func acmeOrder(
        id: String, account: String, for purpose: ACMEOrder.Purpose
    ) async throws -> Outcome<ACMEOrder, ACMEProblem> {
        guard let order = try await store.acmeOrder(id: id), order.account == account, order.purpose == purpose else {
            return .refused(ACMEProblem(.malformed, "The account has no such order.", status: 404))
        }
        return .accepted(order)
    }

    /// The orders of an account for a purpose that are under way or have a certificate, from the one after `cursor` on.
    package func acmeOrders(
        account: String, for purpose: ACMEOrder.Purpose, after cursor: String
    ) async throws -> ACMEOrderList {
        ACMEOrderList(
            try await store.acmeOrders(
                account: account, for: purpose, after: cursor, limit: ACMEOrderList.length + 1, now: moment))
    }

    /// The device whose right an order was placed by; nothing once it is gone.
    package func device(ofOrder id: String) async throws -> Device? { try await store.device(ofACMEOrder: id) }

    package func answerChallenge(
        of order: String, _ verdict: AttestationVerdict
    ) async throws -> Outcome<ACMEOrder, ACMEProblem> {
        try await store.changeACMEOrder(id: order, .answer(verdict), certificate: nil, now: moment)
    }

    package func deactivateAuthorization(of order: String) async throws -> Outcome<ACMEOrder, ACMEProblem> {
        try await store.changeACMEOrder(id: order, .deactivation, certificate: nil, now: moment)
    }

    /// Writes the certificate down that finalizes an order.
    ///
    /// Only after this has answered may it leave.
    package func finalize(
        order: String, certificate: IssuedIdentity
    ) async throws -> Outcome<ACMEOrder, ACMEProblem> {
        try await store.changeACMEOrder(
            id: order, .certificate(serial: certificate.serial), certificate: certificate, now: moment)
    }

    package func identityCertificate(serial: String) async throws -> IdentityCertificate? {
        try await store.identityCertificate(serial: serial)
    }

    // MARK: Revocation

    /// Revokes a certificate for the account that ordered it, or for the holder of its key.
    package func revoke(
        _ request: ACMERevocationRequest, account: String?, keyOf certificateKey: Data?
    ) async throws -> ACMEProblem? {
        let fingerprint = Data(SHA256.hash(data: request.certificate))
        guard let known = try await store.identityCertificate(fingerprint: fingerprint),
            account.map({ $0 == known.account }) ?? (certificateKey == Authority.publicKeyInfo(of: known.issued.der))
        else { return ACMEProblem(.unauthorized, "The certificate is not one that its requester may revoke.") }
        return try await store.revokeIdentity(fingerprint: fingerprint, reason: request.reason.rawValue, now: moment)
    }

    package func revokedIdentities() async throws -> [RevokedIdentity] {
        try await store.revokedIdentities(now: moment)
    }
}
