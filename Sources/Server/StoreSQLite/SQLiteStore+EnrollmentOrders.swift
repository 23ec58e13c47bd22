package import ACME
package import Foundation
import GRDB
package import Management

extension SQLiteStore {
    package func addEnrollmentOrder(
        _ draft: ACMEOrderDraft, attest: Bool
    ) async throws -> Outcome<ACMEOrder, ACMEProblem> {
        try await write { db in
            guard let code = try Self.goodCode(draft.grant, db), code.state == .redeemed || draft.now < code.expires
            else {
                return .refused(.unknownIdentifier)
            }
            if let refusal = try Self.refusal(ofMoreOrders: draft, db) { return .refused(refusal) }
            let order = ACMEOrder(
                id: draft.id, account: draft.account, identifier: draft.identifier,
                terms: ACMEGrant.Terms(attest: attest, profile: Data()), token: draft.token, now: draft.now)
            try Self.insert(order, grant: draft.grant, db)
            return .accepted(order)
        }
    }

    package func enrollmentCode(ofOrder id: String) async throws -> EnrollmentCode? {
        try await read { db in try Self.enrollmentOrder(id, db)?.code }
    }

    package func changeEnrollmentOrder(
        id: String, _ change: ACMEOrder.Change, now: Foundation.Date
    ) async throws -> Outcome<ACMEOrder, ACMEProblem> {
        try await write { db in
            guard let found = try Self.enrollmentOrder(id, db) else { return .refused(.codeIsOver) }
            var order = found.order
            do throws(ACMEProblem) { try order.apply(change, now: now) } catch { return .refused(error) }
            try Self.update(order, db)
            return .accepted(order)
        }
    }

    package func finalizeEnrollmentOrder(
        id: String, publicKeyDigest: Data, certificate: @escaping @Sendable (_ codeID: String) -> IssuedCertificate,
        now: Foundation.Date
    ) async throws -> Outcome<ACMEOrder, ACMEProblem> {
        try await write { db in
            guard let found = try Self.enrollmentOrder(id, db) else { return .refused(.codeIsOver) }
            var order = found.order
            do throws(ACMEProblem) { try order.requireReady(now: now) } catch { return .refused(error) }
            let redeemed = try Self.redeem(
                found.digest, Redemption.acmeTransaction, publicKeyDigest: publicKeyDigest, db, now: now)
            guard case .accepted(let redeemed) = redeemed else { return .refused(.codeIsOver) }
            let serial: String
            if let issued = redeemed.issued {
                serial = issued.serial
            } else {
                let fresh = certificate(redeemed.code.id)
                try Self.insert(fresh, db)
                serial = fresh.serial
            }
            do throws(ACMEProblem) {
                try order.apply(.certificate(serial: serial), now: now)
            } catch { return .refused(error) }
            try Self.update(order, db)
            return .accepted(order)
        }
    }

    /// A code that may still lead to a certificate; whether its time is over is for its use to say.
    static func goodCode(_ digest: Data, _ db: Database) throws -> EnrollmentCode? {
        let code = try Row.fetchOne(db, sql: "SELECT * FROM enrollment_code WHERE digest = ?", arguments: [digest])
            .map(enrollmentCode)
        guard let code, code.state == .unused || code.state == .redeemed else { return nil }
        return code
    }

    private static func enrollmentOrder(
        _ id: String, _ db: Database
    ) throws -> (order: ACMEOrder, code: EnrollmentCode, digest: Data)? {
        guard let row = try Row.fetchOne(db, sql: "SELECT * FROM acme_order WHERE id = ?", arguments: [id]),
            let code = try goodCode(row["grant_digest"], db)
        else { return nil }
        return (try order(row), code, row["grant_digest"])
    }
}

extension ACMEProblem {
    fileprivate static let codeIsOver = ACMEProblem(
        .unauthorized, "The enrollment code was used for another key, has expired or was revoked.")
}
