package import Foundation
import GRDB
import InputBounds
package import Management

extension SQLiteStore {
    package func pushCredential() async throws -> KeptPushCredential? {
        try await read { db in
            try Row.fetchOne(db, sql: "SELECT * FROM push_credential").map { row in
                KeptPushCredential(
                    topic: row["topic"], isCertificate: row["is_certificate"], expires: row.optionalDate("expires"),
                    author: row["author"], uploaded: row.date("uploaded"), sealed: Self.sealed(row))
            }
        }
    }

    package func setPushCredential(_ credential: KeptPushCredential, now: Foundation.Date) async throws {
        try await write { db in
            let sealed = credential.sealed
            if let master = try Self.masterKeyID(db), master != sealed.masterKeyID { throw MasterKeyReplaced() }
            try Self.setMasterKey(sealed.masterKeyID, db)
            try db.execute(
                sql: "INSERT OR REPLACE INTO push_credential VALUES (1, ?, ?, ?, ?, ?, ?, ?, ?, NULL)",
                arguments: [
                    credential.topic, credential.isCertificate, credential.expires?.seconds, credential.author,
                    credential.uploaded.seconds, sealed.masterKeyID, sealed.wrappedKey, sealed.sealed,
                ])
            try Self.audit(
                .setPushCredential, credential.topic, by: .administrator(credential.author), db, now: now)
        }
    }

    package func removePushCredential(author: String, now: Foundation.Date) async throws -> Bool {
        try await write { db in
            guard let topic = try String.fetchOne(db, sql: "SELECT topic FROM push_credential") else { return false }
            try db.execute(sql: "DELETE FROM push_credential")
            try Self.audit(.removePushCredential, topic, by: .administrator(author), db, now: now)
            return true
        }
    }

    package func notePushWarning(topic: String, days: Int, now: Foundation.Date) async throws -> Bool {
        try await write { db in
            try db.execute(
                sql: """
                    UPDATE push_credential SET warned = :days
                    WHERE topic = :topic AND (warned IS NULL OR warned > :days)
                    """,
                arguments: ["days": days, "topic": topic])
            guard db.changesCount == 1 else { return false }
            try Self.audit(.warnOfPushEnd, topic, ["days": .integer(Int64(days))], by: .server, db, now: now)
            return true
        }
    }

    static func rewrapPushCredential(_ old: KeptSecret, _ new: SealedSecret, _ db: Database) throws {
        try db.execute(
            sql: "UPDATE push_credential SET master_key = ?, wrapped_key = ? WHERE wrapped_key = ?",
            arguments: [new.masterKeyID, new.wrappedKey, old.secret.wrappedKey])
    }

    // MARK: Targets

    /// The condition of the index `enrollment_pushed`, and that the token was not retired.
    private static let reachable = """
        push_token IS NOT NULL AND agent_version IS NULL AND state = 'enrolled' AND push_retired IS NULL
        """

    package func pushTargets(_ keys: [String]) async throws -> [PushTarget] {
        try await read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT key, push_token, push_magic FROM enrollment
                    WHERE key IN (SELECT value FROM json_each(?)) AND \(Self.reachable)
                    """,
                arguments: [Self.listText(keys)]
            ).map(Self.pushTarget)
        }
    }

    package func pushTargets(inGroup group: String?, after: String, limit: Int) async throws -> [PushTarget] {
        try await read { db in
            let sql =
                group == nil
                ? """
                SELECT key, push_token, push_magic FROM enrollment INDEXED BY enrollment_pushed
                WHERE key > :after AND \(Self.reachable) ORDER BY key LIMIT :limit
                """
                : """
                SELECT e.key, e.push_token, e.push_magic FROM enrollment_group g JOIN enrollment e ON e.key = g.enrollment
                WHERE g.group_name = :group AND g.enrollment > :after AND \(Self.reachable)
                ORDER BY g.enrollment LIMIT :limit
                """
            var arguments: StatementArguments = ["after": after, "limit": limit]
            if let group { arguments += ["group": group] }
            return try Row.fetchAll(db, sql: sql, arguments: arguments).map(Self.pushTarget)
        }
    }

    private static func pushTarget(_ row: Row) -> PushTarget {
        PushTarget(key: row["key"], token: row["push_token"], pushMagic: row["push_magic"])
    }

    package func retirePushToken(
        _ target: PushTarget, reason: String, now: Foundation.Date
    ) async throws -> Bool {
        try await write { db in
            try db.execute(
                sql: """
                    UPDATE enrollment SET push_retired = ?
                    WHERE key = ? AND push_token = ? AND push_retired IS NULL AND state = 'enrolled'
                    """,
                arguments: [reason, target.key, target.token])
            guard db.changesCount == 1 else { return false }
            try Self.audit(.retirePushToken, target.key, ["reason": .string(reason)], by: .server, db, now: now)
            return true
        }
    }

    package func pushCounts() async throws -> PushCounts {
        try await read { db in
            let row = try Row.fetchOne(
                db,
                sql: """
                    SELECT COUNT(*) - COUNT(push_retired) AS reachable, COUNT(push_retired) AS retired
                    FROM enrollment INDEXED BY enrollment_pushed
                    WHERE push_token IS NOT NULL AND agent_version IS NULL AND state = 'enrolled'
                    """)
            return PushCounts(reachable: row?["reachable"] ?? 0, retired: row?["retired"] ?? 0)
        }
    }
}
