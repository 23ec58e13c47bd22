package import Foundation
import GRDB
import InputBounds
package import Management

/// Administrators who sign in elsewhere.
extension SQLiteStore {
    package func administrator(_ identity: ExternalIdentity) async throws -> Administrator? {
        try await read { db in try Self.administrator(identity, db) }
    }

    package func takeIn(
        _ identity: ExternalIdentity, name: String, rights: Rights, now: Foundation.Date
    ) async throws -> Outcome<Administrator, AdminRefusal> {
        try await write { db in
            if let present = try Self.administrator(identity, db) {
                guard present.rights != rights else { return .accepted(present) }
                return try Self.setRights(of: present, to: rights, by: .server, db, now: now)
            }
            guard try Self.administrator(name, db) == nil else { return .refused(.nameTaken) }
            let administrator = Administrator(
                name: name, passwordHash: PasswordHash.none, mustChangePassword: false, created: now, rights: rights,
                identity: identity)
            if let refusal = try Self.insert(administrator, by: .server, db, now: now) { return .refused(refusal) }
            return .accepted(administrator)
        }
    }

    package func shutOut(_ identity: ExternalIdentity, now: Foundation.Date) async throws {
        try await write { db in
            guard let present = try Self.administrator(identity, db) else { return }
            try db.execute(sql: "DELETE FROM session WHERE administrator = ?", arguments: [present.name])
            try Self.endTokens(of: present.name, db, now: now)
            try Self.cancelJobs(of: present.name, db, now: now)
            try Self.audit(.shutOut, present.name, by: .server, db, now: now)
        }
    }

    private static func administrator(_ identity: ExternalIdentity, _ db: Database) throws -> Administrator? {
        try Row.fetchOne(
            db, sql: "SELECT * FROM administrator WHERE issuer = ? AND subject = ?",
            arguments: [identity.issuer, identity.subject]
        ).map(administrator)
    }
}
