package import Foundation
import GRDB
import InputBounds
package import Management

extension SQLiteStore {
    static let groupColumns = "SELECT * FROM device_group WHERE removed IS NULL AND"

    package func addGroup(
        named name: String, rule: GroupRule?, author: String, now: Foundation.Date
    ) async throws -> Outcome<Group, AdminRefusal> {
        try await write { db in
            if rule != nil, let refusal = try Self.refusalOfAnotherRule(db) { return .refused(refusal) }
            try Self.endRemoval(of: name, db)
            try db.execute(
                sql: "INSERT OR IGNORE INTO device_group (name, created, changed) VALUES (?, ?, ?)",
                arguments: [name, now.seconds, now.seconds])
            guard db.changesCount == 1 else { return .refused(.nameTaken) }
            try Self.audit(.createGroup, name, by: .administrator(author), db, now: now)
            if let rule {
                try Self.keep(rule, of: name, db)
                try Self.audit(
                    .setGroupRule, name, ["rule": .string(rule.text)], by: .administrator(author), db, now: now)
            }
            guard let group = try Self.group(name, db) else { throw TransactionLost() }
            return .accepted(group)
        }
    }

    package func group(named name: String) async throws -> Group? {
        try await read { db in try Self.group(name, db) }
    }

    static func group(_ name: String, _ db: Database) throws -> Group? {
        try Row.fetchOne(db, sql: "\(groupColumns) name = ?", arguments: [name]).map(group)
    }

    package func groups(_ page: PageRequest) async throws -> Page<Group> {
        try await read { db in
            let rows = try Row.fetchAll(
                db, sql: "\(Self.groupColumns) name > ? ORDER BY name LIMIT ?",
                arguments: [page.after ?? "", page.limit + 1])
            return Page(cutting: try rows.map(Self.group), to: page.limit, cursor: \.name)
        }
    }

    package func removeGroup(
        named name: String, limit: Int, author: String, now: Foundation.Date
    ) async throws -> AdminRefusal? {
        try await write { db in
            guard let group = try Self.group(name, db) else { return .unknownGroup }
            if group.rule == nil,
                try Bool.fetchOne(
                    db, sql: "SELECT EXISTS (SELECT 1 FROM enrollment_group WHERE group_name = ?)", arguments: [name])
                    == true
            {
                return .inUse("devices")
            }
            if try Bool.fetchOne(
                db,
                sql: """
                    SELECT EXISTS (SELECT 1 FROM assignment WHERE group_name = :name)
                        OR EXISTS (SELECT 1 FROM setting_assignment WHERE group_name = :name)
                    """, arguments: ["name": name]) == true
            {
                return .inUse("assignments")
            }
            let codes = try String.fetchAll(
                db,
                sql: """
                    UPDATE enrollment_code SET state = 'revoked'
                    WHERE group_name = ? AND state IN ('unused', 'redeemed') RETURNING id
                    """,
                arguments: [name])
            // Nothing is assigned, so that those in it by its rule are given nothing else without it.
            if try !Self.empty(name, limit: limit, db) {
                try Self.keep(nil, of: name, db)
                try db.execute(
                    sql: "UPDATE device_group SET removed = ? WHERE name = ?", arguments: [now.seconds, name])
            }
            for code in codes {
                try Self.audit(.revokeEnrollmentCode, code, by: .administrator(author), db, now: now)
            }
            try Self.audit(.removeGroup, name, by: .administrator(author), db, now: now)
            return nil
        }
    }

    package func emptyRemoved(limit: Int) async throws -> Bool {
        let isAny = try await read { db in try Self.removedGroup(db) } != nil
        guard isAny else { return false }
        return try await write { db in
            guard let name = try Self.removedGroup(db) else { return false }
            _ = try Self.empty(name, limit: limit, db)
            return true
        }
    }

    private static func removedGroup(_ db: Database) throws -> String? {
        try String.fetchOne(
            db.cachedStatement(sql: "SELECT name FROM device_group WHERE removed IS NOT NULL LIMIT 1"))
    }

    /// Takes devices out of a group that goes, and ends it when it has no more of them.
    private static func empty(_ name: String, limit: Int, _ db: Database) throws -> Bool {
        try db.execute(
            sql: """
                DELETE FROM enrollment_group WHERE group_name = :name AND enrollment IN (
                    SELECT enrollment FROM enrollment_group WHERE group_name = :name ORDER BY enrollment LIMIT :limit)
                """, arguments: ["name": name, "limit": limit])
        guard db.changesCount < limit else { return false }
        try db.execute(sql: "DELETE FROM device_group WHERE name = ?", arguments: [name])
        return true
    }

    /// A name is free as soon as its group was removed: a new group of that name waits until the former one is empty.
    private static func endRemoval(of name: String, _ db: Database) throws {
        let isRemoved = try Bool.fetchOne(
            db, sql: "SELECT EXISTS (SELECT 1 FROM device_group WHERE name = ? AND removed IS NOT NULL)",
            arguments: [name])
        if isRemoved == true { _ = try empty(name, limit: .max, db) }
    }

    static func groupExists(_ name: String, _ db: Database) throws -> Bool {
        try Bool.fetchOne(
            db, sql: "SELECT EXISTS (SELECT 1 FROM device_group WHERE name = ? AND removed IS NULL)",
            arguments: [name]) == true
    }

    /// Notes that something assigned to these groups changed.
    static func touch(_ groups: [String], _ db: Database, now: Foundation.Date) throws {
        for group in groups {
            try db.execute(
                sql: "UPDATE device_group SET changed = MAX(changed, ?) WHERE name = ?",
                arguments: [now.seconds, group])
        }
    }

    private static func group(_ row: Row) throws -> Group {
        Group(
            name: row["name"], created: row.date("created"), devices: row["devices"],
            rule: row["rule"] == nil ? nil : try rule(row), revision: row["rule_revision"],
            isJudging: row["rule_judged"] != nil)
    }
}
