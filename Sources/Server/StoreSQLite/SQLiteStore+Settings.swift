import Foundation
import GRDB
import InputBounds
package import Management

extension SQLiteStore {
    package func settingState(of key: SettingKey) async throws -> SettingState {
        try await read { db in try Self.settingState(key, db) }
    }

    package func changeSetting(
        _ key: SettingKey, by decide: @escaping @Sendable (SettingState) -> Outcome<SettingChange, AdminRefusal>
    ) async throws -> Outcome<SettingChange, AdminRefusal> {
        try await write { db in
            let outcome = decide(try Self.settingState(key, db))
            if case .accepted(let change) = outcome { try Self.apply(change, db) }
            return outcome
        }
    }

    package func changeSettingAssignment(
        of key: SettingKey, to group: String,
        by decide: @escaping @Sendable (SettingAssignmentState) -> Outcome<SettingAssignmentChange, AdminRefusal>
    ) async throws -> Outcome<SettingAssignmentChange, AdminRefusal> {
        try await write { db in
            let outcome = decide(try Self.settingAssignmentState(key, group, db))
            if case .accepted(let change) = outcome { try Self.apply(change, db) }
            return outcome
        }
    }

    package func settings(kind: String?, _ page: PageRequest) async throws -> Page<Setting> {
        let after = page.after.flatMap { SettingKey(parsing: $0) }
        return try await read { db in
            let rows = try Row.fetchAll(
                db,
                sql: """
                    \(Self.presentSettings) WHERE (s.kind, s.name) > (:afterKind, :afterName)
                    AND (:kind IS NULL OR s.kind = :kind) ORDER BY s.kind, s.name LIMIT :limit
                    """,
                arguments: [
                    "afterKind": after?.kind ?? "", "afterName": after?.name ?? "", "kind": kind,
                    "limit": page.limit + 1,
                ])
            return Page(cutting: try rows.map(Self.setting), to: page.limit, cursor: \.key.text)
        }
    }

    package func settingVersions(of key: SettingKey, _ page: PageRequest) async throws -> Page<SettingVersion> {
        let before = page.after.flatMap { Int($0) } ?? Int.max
        return try await read { db in
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT version, payload, author, created FROM setting_version
                    WHERE kind = ? AND name = ? AND version < ? ORDER BY version DESC LIMIT ?
                    """,
                arguments: [key.kind, key.name, before, page.limit + 1])
            let versions = try rows.map { row in
                SettingVersion(
                    version: row["version"], payload: try Self.payload(row), author: row["author"],
                    created: row.date("created"))
            }
            return Page(cutting: versions, to: page.limit) { String($0.version) }
        }
    }

    package func settingAssignments(
        _ filter: SettingAssignmentFilter, _ page: PageRequest
    ) async throws -> Page<SettingAssignment> {
        let parts = (page.after ?? "").split(separator: "/", omittingEmptySubsequences: false).map(String.init)
        let after = parts.count == 3 ? parts : ["", "", ""]
        // A condition that may be empty would keep the query from an index.
        let columns = [("group_name", filter.group), ("kind", filter.kind), ("setting", filter.name)]
        let asked = columns.compactMap { column, value in value.map { (column, $0) } }
        let conditions = asked.map { " AND \($0.0) = ?" }.joined()
        let values = after + asked.map { $0.1 }
        return try await read { db in
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT * FROM setting_assignment WHERE (group_name, kind, setting) > (?, ?, ?)\(conditions)
                    ORDER BY group_name, kind, setting LIMIT ?
                    """,
                arguments: StatementArguments(values) + [page.limit + 1])
            return Page(cutting: rows.map(Self.settingAssignment), to: page.limit) { "\($0.group)/\($0.key.text)" }
        }
    }

    /// The assignments of settings to groups, with what each setting says now: one reading by an index.
    static func assignedSettings(_ groups: [String], _ db: Database) throws -> [AssignedSetting] {
        try Row.fetchAll(
            db,
            sql: """
                SELECT a.*, v.version, v.payload, v.summary FROM setting_assignment a
                JOIN setting s ON s.kind = a.kind AND s.name = a.setting
                JOIN setting_version v ON v.kind = s.kind AND v.name = s.name AND v.version = s.current
                WHERE a.group_name IN (SELECT value FROM json_each(?))
                """,
            arguments: [try text(of: groups)]
        ).map { row in
            AssignedSetting(
                assignment: settingAssignment(row), version: row["version"], payload: try payload(row),
                summary: row["summary"])
        }
    }

    // MARK: Loading

    private static let presentSettings = """
        SELECT v.* FROM setting s
        JOIN setting_version v ON v.kind = s.kind AND v.name = s.name AND v.version = s.current
        """

    private static func settingState(_ key: SettingKey, _ db: Database) throws -> SettingState {
        let present = try Row.fetchOne(
            db, sql: "\(presentSettings) WHERE s.kind = ? AND s.name = ?", arguments: [key.kind, key.name])
        let last = try Int.fetchOne(
            db, sql: "SELECT last FROM setting_number WHERE kind = ? AND name = ?", arguments: [key.kind, key.name])
        let groups = try String.fetchAll(
            db,
            sql: "SELECT group_name FROM setting_assignment WHERE kind = ? AND setting = ? ORDER BY group_name",
            arguments: [key.kind, key.name])
        return SettingState(present: try present.map(setting), lastVersion: last ?? 0, groups: groups)
    }

    private static func settingAssignmentState(
        _ key: SettingKey, _ group: String, _ db: Database
    ) throws -> SettingAssignmentState {
        let isSetting = try Bool.fetchOne(
            db, sql: "SELECT EXISTS (SELECT 1 FROM setting WHERE kind = ? AND name = ?)",
            arguments: [key.kind, key.name])
        let present = try Row.fetchOne(
            db, sql: "SELECT * FROM setting_assignment WHERE group_name = ? AND kind = ? AND setting = ?",
            arguments: [group, key.kind, key.name])
        return SettingAssignmentState(
            isGroup: try groupExists(group, db), isSetting: isSetting == true, present: present.map(settingAssignment),
            lastOrder: try Int.fetchOne(db, sql: "SELECT MAX(position) FROM setting_assignment") ?? 0)
    }

    private static func setting(_ row: Row) throws -> Setting {
        Setting(
            kind: row["kind"], name: row["name"], version: row["version"], payload: try payload(row),
            summary: row["summary"], author: row["author"], changed: row.date("created"))
    }

    private static func settingAssignment(_ row: Row) -> SettingAssignment {
        SettingAssignment(
            group: row["group_name"], kind: row["kind"], setting: row["setting"], priority: row["priority"],
            assigned: row.date("assigned"), order: row["position"])
    }

    private static func payload(_ row: Row) throws -> JSONValue {
        let text: String = row["payload"]
        return try JSONValue(parsing: Data(text.utf8), limits: .adminBody)
    }

    // MARK: Applying

    private static func apply(_ change: SettingChange, _ db: Database) throws {
        switch change.effect {
        case .nothing: break
        case .add(let setting, let files, let keeping): try add(setting, files, keeping: keeping, db)
        case .remove(let key):
            try db.execute(
                sql: "DELETE FROM setting WHERE kind = ? AND name = ?", arguments: [key.kind, key.name])
        }
        try touch(change.groups, db, now: change.setting.changed)
        if let record = change.audit { try audit(record, db) }
    }

    private static func add(
        _ setting: Setting, _ files: [String: Data], keeping: Int, _ db: Database
    ) throws {
        let (kind, name, version) = (setting.kind, setting.name, setting.version)
        for table in [("setting", "current"), ("setting_number", "last")] {
            try db.execute(
                sql: """
                    INSERT INTO \(table.0) (kind, name, \(table.1)) VALUES (?, ?, ?)
                    ON CONFLICT (kind, name) DO UPDATE SET \(table.1) = excluded.\(table.1)
                    """,
                arguments: [kind, name, version])
        }
        try db.execute(
            sql: """
                INSERT INTO setting_version (kind, name, version, payload, summary, author, created)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                kind, name, version, String(decoding: setting.payload.encoded(), as: UTF8.self), setting.summary,
                setting.author, setting.changed.seconds,
            ])
        for (sha256, bytes) in files {
            try db.execute(
                sql: "INSERT OR IGNORE INTO file (sha256, bytes) VALUES (?, ?)", arguments: [sha256, bytes])
            try db.execute(
                sql: "INSERT INTO setting_file (kind, name, version, sha256) VALUES (?, ?, ?, ?)",
                arguments: [kind, name, version, sha256])
        }
        try db.execute(
            sql: "DELETE FROM setting_version WHERE kind = ? AND name = ? AND version <= ?",
            arguments: [kind, name, version - max(keeping, 1)])
    }

    private static func apply(_ change: SettingAssignmentChange, _ db: Database) throws {
        let its = change.assignment
        if change.isAssigned {
            try db.execute(
                sql: """
                    INSERT INTO setting_assignment (group_name, kind, setting, priority, assigned, position)
                    VALUES (?, ?, ?, ?, ?, ?)
                    ON CONFLICT (group_name, kind, setting) DO UPDATE SET priority = excluded.priority,
                        assigned = excluded.assigned, position = excluded.position
                    """,
                arguments: [its.group, its.kind, its.setting, its.priority, its.assigned.seconds, its.order])
        } else {
            try db.execute(
                sql: "DELETE FROM setting_assignment WHERE group_name = ? AND kind = ? AND setting = ?",
                arguments: [its.group, its.kind, its.setting])
        }
        try touch([its.group], db, now: change.audit.time)
        try audit(change.audit, db)
    }
}

extension SQLiteStore {
    /// Writes down what a decision wants recorded.
    static func audit(_ record: AuditRecord, _ db: Database) throws {
        try audit(record.action, record.subject, record.details, by: record.actor, db, now: record.time)
    }
}
