package import Foundation
import GRDB
package import Management

extension SQLiteStore {
    private static let groupColumns = """
        SELECT name, created, (SELECT COUNT(*) FROM enrollment_group WHERE group_name = name) AS devices FROM device_group
        """

    package func addGroup(
        named name: String, author: String, now: Foundation.Date
    ) async throws -> Outcome<Group, AdminRefusal> {
        try await write { db in
            try db.execute(
                sql: "INSERT OR IGNORE INTO device_group (name, created, changed) VALUES (?, ?, ?)",
                arguments: [name, now.seconds, now.seconds])
            guard db.changesCount == 1 else { return .refused(.nameTaken) }
            try Self.audit(.createGroup, name, by: .administrator(author), db, now: now)
            return .accepted(Group(name: name, created: now, devices: 0))
        }
    }

    package func group(named name: String) async throws -> Group? {
        try await read { db in
            try Row.fetchOne(db, sql: "\(Self.groupColumns) WHERE name = ?", arguments: [name]).map(Self.group)
        }
    }

    package func groups(_ page: PageRequest) async throws -> Page<Group> {
        try await read { db in
            let rows = try Row.fetchAll(
                db, sql: "\(Self.groupColumns) WHERE name > ? ORDER BY name LIMIT ?",
                arguments: [page.after ?? "", page.limit + 1])
            return Page(cutting: rows.map(Self.group), to: page.limit, cursor: \.name)
        }
    }

    package func removeGroup(
        named name: String, author: String, now: Foundation.Date
    ) async throws -> AdminRefusal? {
        try await write { db in
            guard try Self.groupExists(name, db) else { return .unknownGroup }
            if try Bool.fetchOne(
                db, sql: "SELECT EXISTS (SELECT 1 FROM enrollment_group WHERE group_name = ?)", arguments: [name])
                == true
            {
                return .inUse("devices")
            }
            if try Bool.fetchOne(
                db, sql: "SELECT EXISTS (SELECT 1 FROM assignment WHERE group_name = ?)", arguments: [name]) == true
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
            try db.execute(sql: "DELETE FROM device_group WHERE name = ?", arguments: [name])
            for code in codes {
                try Self.audit(.revokeEnrollmentCode, code, by: .administrator(author), db, now: now)
            }
            try Self.audit(.removeGroup, name, by: .administrator(author), db, now: now)
            return nil
        }
    }

    static func groupExists(_ name: String, _ db: Database) throws -> Bool {
        try Bool.fetchOne(
            db, sql: "SELECT EXISTS (SELECT 1 FROM device_group WHERE name = ?)", arguments: [name]) == true
    }

    /// Notes that something assigned to these groups changed.
    static func touch(_ groups: [String], _ db: Database, now: Foundation.Date) throws {
        for group in groups {
            try db.execute(
                sql: "UPDATE device_group SET changed = MAX(changed, ?) WHERE name = ?",
                arguments: [now.seconds, group])
        }
    }

    private static func group(_ row: Row) -> Group {
        Group(name: row["name"], created: row.date("created"), devices: row["devices"])
    }
}
