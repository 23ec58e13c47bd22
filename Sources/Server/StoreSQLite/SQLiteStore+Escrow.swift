package import Foundation
import GRDB
import InputBounds
package import Management

/// What devices leave with the server.
extension SQLiteStore {
    package func escrowedToken(_ token: EscrowedToken, of device: String) async throws -> SealedSecret? {
        try await read { db in
            try Row.fetchOne(
                db, sql: "SELECT * FROM escrowed_token WHERE enrollment = ? AND token = ?",
                arguments: [device, token.rawValue]
            ).map(Self.sealed)
        }
    }

    package func keepEscrowedToken(
        _ sealed: SealedSecret, as token: EscrowedToken, of device: String, now: Foundation.Date
    ) async throws -> Bool {
        try await write { db in
            let state = try String.fetchOne(db, sql: "SELECT state FROM enrollment WHERE key = ?", arguments: [device])
            guard state == EnrollmentState.pending.rawValue || state == EnrollmentState.enrolled.rawValue else {
                return false
            }
            try Self.keep(sealed, as: token, of: device, db, now: now)
            return true
        }
    }

    package func removeEscrowedToken(
        _ token: EscrowedToken, of device: String, now: Foundation.Date
    ) async throws {
        try await write { db in
            try db.execute(
                sql: "DELETE FROM escrowed_token WHERE enrollment = ? AND token = ?",
                arguments: [device, token.rawValue])
            guard db.changesCount == 1 else { return }
            try Self.audit(
                .removeEscrow, device, ["token": .string(token.rawValue)], by: .device(device), db, now: now)
        }
    }

    package func recordGiven(
        _ sealed: SealedSecret, as token: EscrowedToken, to device: String, now: Foundation.Date
    ) async throws -> Bool {
        try await write { db in
            // By what was sealed: meanwhile it may have been wrapped under another master key.
            let isKept = try Bool.fetchOne(
                db,
                sql: "SELECT EXISTS (SELECT 1 FROM escrowed_token WHERE enrollment = ? AND token = ? AND sealed = ?)",
                arguments: [device, token.rawValue, sealed.sealed])
            guard isKept == true else { return false }
            try Self.audit(
                .giveEscrow, device, ["token": .string(token.rawValue)], by: .device(device), db, now: now)
            return true
        }
    }

    package func bareUnlockTokens(limit: Int) async throws -> [BareUnlockToken] {
        try await read { db in
            try Row.fetchAll(
                db, sql: "SELECT key, unlock_token FROM enrollment WHERE unlock_token IS NOT NULL LIMIT ?",
                arguments: [limit]
            ).map { BareUnlockToken(device: $0["key"], token: $0["unlock_token"]) }
        }
    }

    package func sealUnlockTokens(
        _ tokens: [(bare: BareUnlockToken, sealed: SealedSecret)], now: Foundation.Date
    ) async throws {
        try await write { db in
            // What is overwritten leaves nothing in the file.
            try db.execute(sql: "PRAGMA secure_delete = ON")
            for (bare, sealed) in tokens {
                try db.execute(
                    sql: "UPDATE enrollment SET unlock_token = NULL WHERE key = ? AND unlock_token = ?",
                    arguments: [bare.device, bare.token])
                guard db.changesCount == 1 else { continue }
                try Self.insert(sealed, as: .unlock, of: bare.device, db, now: now)
            }
            try db.execute(sql: "PRAGMA secure_delete = OFF")
        }
    }

    // MARK: Parts of other operations

    /// Keeps a token of an enrollment that is alive, and tells of it.
    static func keep(
        _ sealed: SealedSecret, as token: EscrowedToken, of device: String, _ db: Database, now: Foundation.Date
    ) throws {
        try insert(sealed, as: token, of: device, db, now: now)
        try audit(.keepEscrow, device, ["token": .string(token.rawValue)], by: .device(device), db, now: now)
    }

    static func rewrap(
        _ token: EscrowedToken, of device: String, _ old: KeptSecret, _ new: SealedSecret, _ db: Database
    ) throws {
        try db.execute(
            sql: """
                UPDATE escrowed_token SET master_key = ?, wrapped_key = ?
                WHERE enrollment = ? AND token = ? AND wrapped_key = ?
                """,
            arguments: [new.masterKeyID, new.wrappedKey, device, token.rawValue, old.secret.wrappedKey])
    }

    private static func insert(
        _ sealed: SealedSecret, as token: EscrowedToken, of device: String, _ db: Database, now: Foundation.Date
    ) throws {
        if let master = try masterKeyID(db), master != sealed.masterKeyID { throw MasterKeyReplaced() }
        try setMasterKey(sealed.masterKeyID, db)
        try db.execute(
            sql: """
                INSERT OR REPLACE INTO escrowed_token (enrollment, token, kept, master_key, wrapped_key, sealed)
                VALUES (?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                device, token.rawValue, now.seconds, sealed.masterKeyID, sealed.wrappedKey, sealed.sealed,
            ])
    }
}
