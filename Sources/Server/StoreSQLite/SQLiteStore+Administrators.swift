package import Foundation
import GRDB
import InputBounds
package import Management

extension SQLiteStore {
    package func addFirstAdministrator(_ administrator: Administrator) async throws -> Bool {
        try await write { db in
            try db.execute(
                sql: """
                    INSERT INTO administrator (name, password_hash, must_change, password_ends, created)
                    SELECT ?, ?, ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM administrator)
                    """,
                arguments: [
                    administrator.name, administrator.passwordHash, administrator.mustChangePassword,
                    administrator.passwordEnds?.seconds, administrator.created.seconds,
                ])
            guard db.changesCount == 1 else { return false }
            try Self.audit(.createAdministrator, administrator.name, by: .server, db, now: administrator.created)
            return true
        }
    }

    package func recordRefusedSignIns(_ refused: [RefusedSignIns], now: Foundation.Date) async throws {
        try await write { db in
            for one in refused {
                guard try Self.administrator(one.administrator, db) != nil else { continue }
                var details: [String: JSONValue] = ["attempts": .integer(Int64(one.attempts))]
                if let address = one.address { details["from"] = .string(address) }
                try Self.audit(.refuseSession, one.administrator, details, by: .server, db, now: now)
            }
        }
    }

    package func openSession(_ session: Session, tokenDigest: Data, limit: Int, now: Foundation.Date) async throws {
        try await write { db in
            try db.execute(sql: "DELETE FROM session WHERE expires <= ?", arguments: [now.seconds])
            // Sessions from while the clock was ahead would count as the newest below.
            try db.execute(
                sql: "DELETE FROM session WHERE administrator = ? AND opened > ?",
                arguments: [session.administrator, (now + Session.clockTolerance).seconds])
            try db.execute(
                sql: "INSERT INTO session (digest, administrator, opened, expires) VALUES (?, ?, ?, ?)",
                arguments: [tokenDigest, session.administrator, now.seconds, session.expires.seconds])
            try db.execute(
                sql: """
                    DELETE FROM session WHERE rowid IN (
                        SELECT rowid FROM session WHERE administrator = ? ORDER BY opened DESC, rowid DESC LIMIT -1 OFFSET ?)
                    """,
                arguments: [session.administrator, limit])
            try Self.audit(
                .openSession, session.administrator, ["expires": .moment(session.expires)],
                by: .administrator(session.administrator), db, now: now)
        }
    }

    package func session(tokenDigest: Data, now: Foundation.Date) async throws -> Session? {
        try await read { db in
            try Row.fetchOne(
                db,
                sql: """
                    SELECT session.administrator, session.expires, administrator.must_change,
                        administrator.role, administrator.apps, administrator.groups
                    FROM session JOIN administrator ON administrator.name = session.administrator
                    WHERE digest = ? AND expires > ? AND opened <= ?
                    """,
                arguments: [tokenDigest, now.seconds, (now + Session.clockTolerance).seconds]
            ).map { row in
                Session(
                    administrator: row["administrator"], expires: row.date("expires"),
                    mustChangePassword: row["must_change"], rights: try Self.rights(row))
            }
        }
    }

    package func closeSession(tokenDigest: Data, now: Foundation.Date) async throws {
        try await write { db in
            let name = try String.fetchOne(
                db, sql: "DELETE FROM session WHERE digest = ? RETURNING administrator", arguments: [tokenDigest])
            guard let name else { return }
            try Self.audit(.closeSession, name, by: .administrator(name), db, now: now)
        }
    }

    package func replacePasswordHash(of name: String, from oldHash: String, to newHash: String) async throws {
        try await write { db in
            try db.execute(
                sql: "UPDATE administrator SET password_hash = ? WHERE name = ? AND password_hash = ?",
                arguments: [newHash, name, oldHash])
        }
    }

    package func changePassword(
        of name: String, from oldHash: String, to newHash: String, keeping tokenDigest: Data, by actor: AuditActor,
        now: Foundation.Date
    ) async throws -> Bool {
        try await write { db in
            try db.execute(
                sql: """
                    UPDATE administrator SET password_hash = ?, must_change = 0, password_ends = NULL
                    WHERE name = ? AND password_hash = ?
                    """,
                arguments: [newHash, name, oldHash])
            guard db.changesCount == 1 else { return false }
            try db.execute(
                sql: "DELETE FROM session WHERE administrator = ? AND digest <> ?", arguments: [name, tokenDigest])
            if actor == .operator { try Self.endTokens(of: name, db, now: now) }
            try Self.audit(.changePassword, name, by: actor, db, now: now)
            return true
        }
    }
}
