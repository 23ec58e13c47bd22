package import Foundation
import GRDB
import InputBounds
package import Management

/// Administrators and what each may do.
extension SQLiteStore {
    /// People and programs of one organization.
    private static let mostAdministrators = 1_000

    package func addAdministrator(
        _ administrator: Administrator, author: String, now: Foundation.Date
    ) async throws -> AdminRefusal? {
        try await write { db in
            guard try Self.administrator(administrator.name, db) == nil else { return .nameTaken }
            return try Self.insert(administrator, by: .administrator(author), db, now: now)
        }
    }

    static func insert(
        _ administrator: Administrator, by actor: AuditActor, _ db: Database, now: Foundation.Date
    ) throws -> AdminRefusal? {
        guard try Int.fetchOne(db, sql: "SELECT count(*) FROM administrator") ?? 0 < mostAdministrators else {
            return .invalid(rule: "There are \(mostAdministrators) administrators already.")
        }
        let rights = administrator.rights
        try db.execute(
            sql: """
                INSERT INTO administrator
                (name, password_hash, must_change, password_ends, created, role, apps, groups, issuer, subject)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                administrator.name, administrator.passwordHash, administrator.mustChangePassword,
                administrator.passwordEnds?.seconds, administrator.created.seconds, rights.role.rawValue,
                listText(rights.apps), listText(rights.groups),
                administrator.identity?.issuer, administrator.identity?.subject,
            ])
        try audit(.createAdministrator, administrator.name, details(rights), by: actor, db, now: now)
        return nil
    }

    package func administrator(named name: String) async throws -> Administrator? {
        try await read { db in try Self.administrator(name, db) }
    }

    package func administrators() async throws -> [Administrator] {
        try await read { db in
            try Row.fetchAll(db, sql: "SELECT * FROM administrator ORDER BY name").map(Self.administrator)
        }
    }

    package func setRights(
        of name: String, to rights: Rights, author: String, now: Foundation.Date
    ) async throws -> Outcome<Administrator, AdminRefusal> {
        try await write { db in
            guard let present = try Self.administrator(name, db) else { return .refused(.unknownAdministrator) }
            guard present.rights != rights else { return .accepted(present) }
            return try Self.setRights(of: present, to: rights, by: .administrator(author), db, now: now)
        }
    }

    static func setRights(
        of present: Administrator, to rights: Rights, by actor: AuditActor, _ db: Database, now: Foundation.Date
    ) throws -> Outcome<Administrator, AdminRefusal> {
        if rights.role != .administrator, try isLast(present, db) { return .refused(.lastAdministrator) }
        try db.execute(
            sql: "UPDATE administrator SET role = ?, apps = ?, groups = ? WHERE name = ?",
            arguments: [rights.role.rawValue, listText(rights.apps), listText(rights.groups), present.name])
        try audit(.setAdministrator, present.name, details(rights), by: actor, db, now: now)
        guard let changed = try administrator(present.name, db) else { throw TransactionLost() }
        return .accepted(changed)
    }

    package func resetPassword(
        of name: String, to hash: String, ends: Foundation.Date, author: String, now: Foundation.Date
    ) async throws -> Outcome<Administrator, AdminRefusal> {
        try await write { db in
            guard try Self.administrator(name, db)?.identity == nil else {
                return .refused(.invalid(rule: "An administrator who signs in elsewhere has no password here."))
            }
            try db.execute(
                sql: "UPDATE administrator SET password_hash = ?, must_change = 1, password_ends = ? WHERE name = ?",
                arguments: [hash, ends.seconds, name])
            guard let changed = try Self.administrator(name, db) else { return .refused(.unknownAdministrator) }
            try db.execute(sql: "DELETE FROM session WHERE administrator = ?", arguments: [name])
            try Self.endTokens(of: name, db, now: now)
            try Self.audit(.resetPassword, name, by: .administrator(author), db, now: now)
            return .accepted(changed)
        }
    }

    package func removeAdministrator(
        named name: String, author: String, now: Foundation.Date
    ) async throws -> AdminRefusal? {
        try await write { db in
            guard let present = try Self.administrator(name, db) else { return .unknownAdministrator }
            if try Self.isLast(present, db) { return .lastAdministrator }
            try db.execute(sql: "DELETE FROM administrator WHERE name = ?", arguments: [name])
            try Self.audit(.removeAdministrator, name, by: .administrator(author), db, now: now)
            return nil
        }
    }

    package func closeSessions(of name: String, keeping tokenDigest: Data, now: Foundation.Date) async throws {
        try await write { db in
            try db.execute(
                sql: "DELETE FROM session WHERE administrator = ? AND digest <> ?", arguments: [name, tokenDigest])
            try Self.audit(.closeSessions, name, by: .administrator(name), db, now: now)
        }
    }

    static func rights(_ row: Row) throws -> Rights {
        Rights(role: try row.word("role"), apps: try list(row["apps"]), groups: try list(row["groups"]))
    }

    static func administrator(_ name: String, _ db: Database) throws -> Administrator? {
        try Row.fetchOne(db, sql: "SELECT * FROM administrator WHERE name = ?", arguments: [name]).map(administrator)
    }

    static func administrator(_ row: Row) throws -> Administrator {
        Administrator(
            name: row["name"], passwordHash: row["password_hash"], mustChangePassword: row["must_change"],
            passwordEnds: row.optionalDate("password_ends"), created: row.date("created"), rights: try rights(row),
            identity: (row["issuer"] as String?).map { ExternalIdentity(issuer: $0, subject: row["subject"] ?? "") })
    }

    /// Whether nobody else may do everything.
    private static func isLast(_ administrator: Administrator, _ db: Database) throws -> Bool {
        guard administrator.rights.role == .administrator else { return false }
        return try Bool.fetchOne(
            db, sql: "SELECT NOT EXISTS (SELECT 1 FROM administrator WHERE role = 'administrator' AND name <> ?)",
            arguments: [administrator.name]) ?? true
    }

    static func details(_ rights: Rights) -> [String: JSONValue] {
        var details: [String: JSONValue] = ["role": .string(rights.role.rawValue)]
        if rights.role == .appOwner {
            details["apps"] = .array(rights.apps.map(JSONValue.string))
            details["groups"] = .array(rights.groups.map(JSONValue.string))
        }
        return details
    }

    static func listText(_ names: [String]) -> String {
        String(decoding: JSONValue.array(names.map(JSONValue.string)).encoded(), as: UTF8.self)
    }

    static func list(_ text: String) throws -> [String] {
        try JSONValue(parsing: Data(text.utf8), limits: .adminBody).array?.compactMap(\.string) ?? []
    }
}
