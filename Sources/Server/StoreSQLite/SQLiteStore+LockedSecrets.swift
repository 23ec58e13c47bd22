package import Foundation
import GRDB
import InputBounds
package import Management

/// What is kept under master keys that are lost.
extension SQLiteStore {
    package func masterKeyIDsOnRecord() async throws -> Set<String> {
        try await read { db in try Self.masterKeyIDsOnRecord(db) }
    }

    package func lockedSecrets(keys: Set<String>) async throws -> LockedSecrets {
        let held = Self.listText(keys.sorted())
        return try await read { db in try Self.lockedSecrets(held, db) }
    }

    package func forgetLockedSecrets(keys: Set<String>, now: Foundation.Date) async throws -> LockedSecrets {
        let held = Self.listText(keys.sorted())
        return try await write { db in
            let locked = try Self.lockedSecrets(held, db)
            let lost = try Self.masterKeyIDsOnRecord(db).subtracting(keys).sorted()
            try Self.forgetSecretValues(held, db)
            for name in locked.secrets { try Self.audit(.forgetSecret, name, by: .operator, db, now: now) }
            for name in locked.webhooks { try Self.forgetWebhookSecrets(of: name, held, db, now: now) }
            if let topic = locked.pushTopic {
                try db.execute(sql: "DELETE FROM push_credential")
                try Self.audit(.removePushCredential, topic, by: .operator, db, now: now)
            }
            if locked.escrowedTokens > 0 {
                try db.execute(sql: "DELETE FROM escrowed_token WHERE \(Self.isLocked)", arguments: [held])
                try Self.audit(
                    .forgetEscrow, "devices", ["tokens": .integer(Int64(locked.escrowedTokens))], by: .operator, db,
                    now: now)
            }
            try db.execute(
                sql: "DELETE FROM master_key WHERE id NOT IN (SELECT value FROM json_each(?))", arguments: [held])
            for id in lost { try Self.audit(.forgetMasterKey, id, by: .operator, db, now: now) }
            return locked
        }
    }

    // MARK: Rows

    /// A row whose key is not among those of a list in JSON.
    private static let isLocked = "master_key IS NOT NULL AND master_key NOT IN (SELECT value FROM json_each(?))"

    private static func masterKeyIDsOnRecord(_ db: Database) throws -> Set<String> {
        try String.fetchSet(
            db,
            sql: """
                SELECT DISTINCT master_key FROM secret_version WHERE master_key IS NOT NULL
                UNION SELECT master_key FROM webhook_secret
                UNION SELECT master_key FROM push_credential
                UNION SELECT master_key FROM escrowed_token
                UNION SELECT id FROM master_key
                """)
    }

    private static func lockedSecrets(_ held: String, _ db: Database) throws -> LockedSecrets {
        LockedSecrets(
            secrets: try String.fetchAll(
                db, sql: "SELECT DISTINCT secret FROM secret_version WHERE \(isLocked) ORDER BY secret",
                arguments: [held]),
            webhooks: try String.fetchAll(
                db,
                sql: """
                    SELECT name FROM webhook WHERE number IN (SELECT webhook FROM webhook_secret WHERE \(isLocked))
                    ORDER BY name
                    """, arguments: [held]),
            pushTopic: try String.fetchOne(
                db, sql: "SELECT topic FROM push_credential WHERE \(isLocked)", arguments: [held]),
            escrowedTokens: try Int.fetchOne(
                db, sql: "SELECT COUNT(*) FROM escrowed_token WHERE \(isLocked)", arguments: [held]) ?? 0)
    }

    /// Names, versions and assignments stay, so that devices keep what they have, and get what is set anew.
    private static func forgetSecretValues(_ held: String, _ db: Database) throws {
        for table in ["secret_device_value", "secret_person_value"] {
            try db.execute(
                sql: """
                    UPDATE \(table) SET sealed = X'' WHERE EXISTS (SELECT 1 FROM secret_version v
                        WHERE v.secret = \(table).secret AND v.version = \(table).version
                        AND v.master_key IS NOT NULL AND v.master_key NOT IN (SELECT value FROM json_each(?)))
                    """, arguments: [held])
        }
        try db.execute(
            sql: "UPDATE secret_version SET master_key = NULL, wrapped_key = NULL, sealed = NULL WHERE \(isLocked)",
            arguments: [held])
    }

    /// Without a secret nothing is sent until the webhook has been given another one.
    private static func forgetWebhookSecrets(
        of name: String, _ held: String, _ db: Database, now: Foundation.Date
    ) throws {
        guard let row = try webhookRow(name, db) else { return }
        let number: Int = row["number"]
        try db.execute(
            sql: "DELETE FROM webhook_secret WHERE webhook = ? AND \(isLocked)", arguments: [number, held])
        var course = try Self.course(row)
        course.disable(.secretForgotten, now: now)
        try keep(course, of: number, db)
        try audit(.forgetWebhookSecret, name, by: .operator, db, now: now)
    }
}
