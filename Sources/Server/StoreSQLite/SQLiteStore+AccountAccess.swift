package import Foundation
import GRDB
import InputBounds
package import Management

extension SQLiteStore {
    package func renewAccess(of device: String, digest: Data, now: Foundation.Date) async throws -> Bool {
        try await write { db in
            let code = try Row.fetchOne(
                db, sql: "SELECT * FROM enrollment_code WHERE digest = ?", arguments: [digest]
            ).map(Self.enrollmentCode)
            guard let code, code.state == .unused, now < code.expires, case .person(_, let account) = code.holder else {
                return false
            }
            try db.execute(
                sql: """
                    UPDATE enrollment SET access_digest = ?, access_since = ?, access_ended = 0
                    WHERE key = ? AND arrival = 'account' AND account = ? AND state IN ('pending', 'enrolled')
                    """,
                arguments: [digest, now.seconds, device, account])
            guard db.changesCount == 1 else { return false }
            try db.execute(sql: "UPDATE enrollment_code SET state = 'spent' WHERE id = ?", arguments: [code.id])
            try Self.useInvitation(ofAccount: account, db)
            try Self.audit(
                .signInDevice, device, ["account": .string(account)], by: .device(device), db, now: now)
            return true
        }
    }

    package func endAccess(
        of device: String, author: String, now: Foundation.Date
    ) async throws -> AdminRefusal? {
        try await write { db in
            guard let context = try Self.context(device, db) else { return .unknownDevice }
            guard context.state == .pending || context.state == .enrolled else { return .deviceWithdrawn }
            guard context.access != nil else {
                return .invalid(rule: "Only a device that came by a person's account can be signed out.")
            }
            try db.execute(sql: "UPDATE enrollment SET access_ended = 1 WHERE key = ?", arguments: [device])
            try Self.audit(.signOutDevice, device, by: .administrator(author), db, now: now)
            return nil
        }
    }

    static func access(_ row: Row) -> AccountAccess? {
        guard row["arrival"] == Arrival.Kind.account.rawValue, let since = row.optionalDate("access_since") else {
            return nil
        }
        return AccountAccess(digest: row["access_digest"], since: since, isEnded: row["access_ended"])
    }
}
