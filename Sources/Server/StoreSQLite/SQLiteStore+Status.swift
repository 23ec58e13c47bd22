package import Foundation
import GRDB
import InputBounds
package import Management

extension SQLiteStore {
    /// What the merging of one item may read back: twice the bound of a value.
    private static let valueLimits = InputLimits(bytes: 2 * StatusLimits.valueBytes, objects: 400_000)

    package func recordStatus(
        _ update: StatusUpdate, report: ReceivedReport, device: String
    ) async throws -> ReportConsequences {
        try await write { db in
            if try Self.isRepeated(report, device, db) { return ReportConsequences() }
            let told = try Self.factsOfRules(toldBy: update, of: device, db)
            let before = try told.isEmpty ? nil : Self.ruleFacts(told, of: [device], db).first
            var items = update.items
            if let new = items[AtRestRecord.item] {
                let old = try Self.value(AtRestRecord.item, device, db)
                items[AtRestRecord.item] = AtRestRecord.merged(old, with: new, now: report.received)
            }
            if update.isFull {
                try db.executeCached(sql: "DELETE FROM status_item WHERE enrollment = ?", arguments: [device])
            }
            for (name, value) in items.sorted(by: { $0.key < $1.key }) {
                try Self.merge(name, value, isFull: update.isFull, report.received, device, db)
            }
            try db.executeCached(
                sql: """
                    DELETE FROM status_item WHERE rowid IN (SELECT rowid FROM status_item WHERE enrollment = ?
                        ORDER BY updated DESC, name LIMIT -1 OFFSET ?)
                    """,
                arguments: [device, StatusLimits.items])
            try db.executeCached(
                sql: """
                    INSERT INTO status_report (enrollment, received, sha256, size, is_full, document)
                    VALUES (?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    device, report.received.seconds, report.sha256, report.size, report.isFull, report.document,
                ])
            try db.executeCached(
                sql: """
                    DELETE FROM status_report WHERE id IN (SELECT id FROM status_report WHERE enrollment = ?
                        ORDER BY id DESC LIMIT -1 OFFSET ?)
                    """,
                arguments: [device, StatusLimits.reports])
            let refusals =
                try ReportedApps(update).map { try Self.keep($0, of: device, db, now: report.received) } ?? []
            for refusal in refusals {
                try Self.note(
                    refusal.stands ? .refuse : .accept, of: device, app: refusal.app,
                    configuration: refusal.configuration, version: refusal.version, db, now: report.received)
            }
            let isAudienceNew = try Self.learnAudience(of: device, from: update.items, db)
            guard let before, let after = try Self.ruleFacts(told, of: [device], db).first else {
                return ReportConsequences(isAudienceNew: isAudienceNew, refusals: refusals)
            }
            let changed = told.filter { before.values[$0] != after.values[$0] }
            let rules = try changed.isEmpty ? [] : Self.rules(lookingAt: changed.map(\.text).sorted(), db)
            return ReportConsequences(
                isAudienceNew: isAudienceNew, moves: try Self.judge([device], by: rules, db, now: report.received),
                refusals: refusals)
        }
    }

    /// What a report may change of that at which any rule looks: most often nothing, for one reading.
    private static func factsOfRules(
        toldBy update: StatusUpdate, of device: String, _ db: Database
    ) throws -> Set<RuleFact> {
        let apps =
            ReportedApps(update)?.isWhole == true
            ? try String.fetchAll(
                db.cachedStatement(sql: "SELECT app FROM app_on_device WHERE enrollment = ?"), arguments: [device]) : []
        let told = RuleFact.told(by: update, apps: apps)
        guard !told.isEmpty else { return [] }
        let looked = try Set(
            String.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT j.value FROM json_each(?) j
                        WHERE EXISTS (SELECT 1 FROM group_rule_fact f WHERE f.fact = j.value)
                        """), arguments: [text(of: told.map(\.text))]))
        return told.filter { looked.contains($0.text) }
    }

    package func statusItems(of device: String, named names: [String]?) async throws -> [StatusItem] {
        try await read { db in
            let list = try names.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) }
            return try Row.fetchAll(
                db,
                sql: """
                    SELECT name, value, updated FROM status_item WHERE enrollment = :device
                    AND (:names IS NULL OR name IN (SELECT value FROM json_each(COALESCE(:names, '[]')))) ORDER BY name
                    """,
                arguments: ["device": device, "names": list]
            ).map { row in StatusItem(name: row["name"], value: row["value"], updated: row.date("updated")) }
        }
    }

    package func statusItem(named name: String, of devices: [String]) async throws -> [String: Data] {
        try await read { db in
            let statement = try db.cachedStatement(
                sql: "SELECT value FROM status_item WHERE enrollment = ? AND name = ?")
            var values: [String: Data] = [:]
            for device in devices { values[device] = try Data.fetchOne(statement, arguments: [device, name]) }
            return values
        }
    }

    package func statusReports(of device: String) async throws -> [ReceivedReport] {
        try await read { db in
            try Row.fetchAll(
                db, sql: "SELECT * FROM status_report WHERE enrollment = ? ORDER BY id DESC", arguments: [device]
            ).map { row in
                ReceivedReport(
                    received: row.date("received"), sha256: row["sha256"], size: row["size"], isFull: row["is_full"],
                    document: row["document"])
            }
        }
    }

    /// The newest report again: its answer was lost.
    ///
    /// Only the time is new.
    private static func isRepeated(_ report: ReceivedReport, _ device: String, _ db: Database) throws -> Bool {
        let statement = try db.cachedStatement(
            sql: "SELECT id, sha256 FROM status_report WHERE enrollment = ? ORDER BY id DESC LIMIT 1")
        guard let row = try Row.fetchOne(statement, arguments: [device]), row["sha256"] == report.sha256 else {
            return false
        }
        let update = try db.cachedStatement(sql: "UPDATE status_report SET received = ? WHERE id = ?")
        try update.execute(arguments: [report.received.seconds, row["id"] as Int64])
        return true
    }

    /// The latest value of an item; one that cannot be read any more is none.
    private static func value(_ name: String, _ device: String, _ db: Database) throws -> JSONValue? {
        let statement = try db.cachedStatement(sql: "SELECT value FROM status_item WHERE enrollment = ? AND name = ?")
        return try Data.fetchOne(statement, arguments: [device, name]).flatMap {
            try? JSONValue(parsing: $0, limits: valueLimits)
        }
    }

    private static func merge(
        _ name: String, _ value: JSONValue, isFull: Bool, _ now: Foundation.Date, _ device: String, _ db: Database
    ) throws {
        var old: JSONValue?
        if !isFull, case .array = value { old = try Self.value(name, device, db) }
        let merged = StatusMerge.merged(old, with: value, isFull: isFull).encoded()
        guard merged.count <= StatusLimits.valueBytes else { return }
        let statement = try db.cachedStatement(
            sql: """
                INSERT INTO status_item (enrollment, name, value, updated) VALUES (?, ?, ?, ?)
                ON CONFLICT (enrollment, name) DO UPDATE SET value = excluded.value, updated = excluded.updated
                """)
        try statement.execute(arguments: [device, name, merged, now.seconds])
    }
}
