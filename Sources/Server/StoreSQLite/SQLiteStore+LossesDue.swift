package import Foundation
import GRDB
package import Management

/// Losses of many devices, which are dealt with part by part behind the change that brought them.
extension SQLiteStore {
    /// Takes from the first devices of a group, in the transaction of the change, what they lost by it; where there are
    /// more, notes that all who hold these secrets are to be looked at by `revokeLost(of:limit:now:)`.
    ///
    /// Those may leave the group, and the group may go, before it is their turn: so it is holders that are noted, not the
    /// group.
    static func revokeLost(
        in group: String, secrets: [String], author: String, _ db: Database, now: Foundation.Date
    ) throws -> [String] {
        let limit = SecretLimits.revokedAtOnce
        let holdings = try holdings(.group(group, secrets: secrets, limit: limit + 1), db, now: now)
        if holdings.count > limit {
            try db.execute(
                sql: """
                    INSERT INTO identity_loss_due (secret, author, after)
                    SELECT value, ?, '' FROM json_each(?)
                    WHERE EXISTS (SELECT 1 FROM identity_certificate WHERE secret = value AND revoked IS NULL)
                    ON CONFLICT (secret) DO UPDATE SET author = excluded.author, after = excluded.after
                    """, arguments: [author, try text(of: secrets)])
        }
        return try revokeLost(Array(holdings.prefix(limit)), by: .administrator(author), db, now: now)
    }

    package func revokeLost(
        of place: LossPlace, limit: Int, now: Foundation.Date
    ) async throws -> [String]? {
        // Most often there is nothing, and nobody waits for the writer then.
        guard try await read({ db in try Self.lossDue(in: place, db) != nil }) else { return nil }
        return try await write { db in
            guard let due = try Self.lossDue(in: place, db) else { return nil }
            let secret: String = due["secret"]
            let holdings = try Self.holdings(.holders(of: secret, after: due["after"], limit: limit), db, now: now)
            let groups = try Self.revokeLost(holdings, by: .administrator(due["author"]), db, now: now)
            if holdings.count == limit, let last = holdings.last {
                try db.execute(
                    sql: "UPDATE identity_loss_due SET after = ? WHERE secret = ?", arguments: [last.device, secret])
            } else {
                try db.execute(sql: "DELETE FROM identity_loss_due WHERE secret = ?", arguments: [secret])
            }
            return groups
        }
    }

    private static func lossDue(in place: LossPlace, _ db: Database) throws -> Row? {
        try Row.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT secret, author, after FROM identity_loss_due WHERE (:secret IS NULL OR secret = :secret)
                    AND (:app IS NULL OR secret IN (SELECT secret FROM secret_assignment WHERE app = :app)) LIMIT 1
                    """), arguments: ["secret": place.secret, "app": place.app])
    }
}
