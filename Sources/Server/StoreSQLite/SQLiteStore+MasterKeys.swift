package import Foundation
import GRDB
package import Management

extension SQLiteStore {
    package func masterKeyID() async throws -> String? {
        try await read { db in try Self.masterKeyID(db) }
    }

    package func masterKeyIDsInUse() async throws -> Set<String> {
        try await read { db in
            try String.fetchSet(
                db,
                sql: """
                    SELECT DISTINCT master_key FROM secret_version WHERE master_key IS NOT NULL
                    UNION SELECT master_key FROM webhook_secret
                    UNION SELECT master_key FROM push_credential
                    UNION SELECT master_key FROM escrowed_token
                    """)
        }
    }

    package func setMasterKey(id: String, now: Foundation.Date) async throws {
        try await write { db in
            try Self.setMasterKey(id, db)
            try Self.audit(.replaceMasterKey, id, by: .operator, db, now: now)
        }
    }

    package func secretsToRewrap(under id: String, limit: Int) async throws -> [KeptSecret] {
        try await read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT secret, version, master_key, wrapped_key, COALESCE(sealed, X'') AS sealed
                    FROM secret_version
                    WHERE master_key IS NOT NULL AND master_key <> :key
                    UNION ALL SELECT 'webhook:' || webhook, number, master_key, wrapped_key, sealed
                    FROM webhook_secret WHERE master_key <> :key
                    UNION ALL SELECT :push, 1, master_key, wrapped_key, sealed
                    FROM push_credential WHERE master_key <> :key
                    UNION ALL SELECT token || '-token:' || enrollment, :escrow, master_key, wrapped_key, sealed
                    FROM escrowed_token WHERE master_key <> :key
                    LIMIT :limit
                    """,
                arguments: [
                    "key": id, "limit": limit, "push": PushSetup.sealName, "escrow": EscrowedToken.sealVersion,
                ]
            ).map { row in
                KeptSecret(name: row["secret"], version: row["version"], secret: Self.sealed(row))
            }
        }
    }

    package func rewrap(_ secrets: [(old: KeptSecret, new: SealedSecret)]) async throws {
        try await write { db in
            for (old, new) in secrets {
                if old.name == PushSetup.sealName {
                    try Self.rewrapPushCredential(old, new, db)
                    continue
                }
                if let (token, device) = EscrowedToken.place(sealedAs: old.name) {
                    try Self.rewrap(token, of: device, old, new, db)
                    continue
                }
                if let webhook = WebhookDraft.webhook(sealedAs: old.name) {
                    try Self.rewrap(webhook, old, new, db)
                    continue
                }
                try db.execute(
                    sql: """
                        UPDATE secret_version SET master_key = ?, wrapped_key = ?
                        WHERE secret = ? AND version = ? AND wrapped_key = ?
                        """,
                    arguments: [new.masterKeyID, new.wrappedKey, old.name, old.version, old.secret.wrappedKey])
            }
        }
    }

    static func masterKeyID(_ db: Database) throws -> String? {
        try String.fetchOne(db, sql: "SELECT id FROM master_key")
    }

    static func setMasterKey(_ id: String, _ db: Database) throws {
        try db.execute(
            sql: "INSERT INTO master_key (one, id) VALUES (1, ?) ON CONFLICT (one) DO UPDATE SET id = excluded.id",
            arguments: [id])
    }

    static func sealed(_ row: Row) -> SealedSecret {
        SealedSecret(masterKeyID: row["master_key"], wrappedKey: row["wrapped_key"], sealed: row["sealed"])
    }
}
