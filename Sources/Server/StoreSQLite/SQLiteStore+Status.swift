import DeviceMessages
package import Foundation
import GRDB
import InputBounds
package import Management

extension SQLiteStore {
    package func recordStatus(
        _ update: StatusUpdate, report: ReceivedReport, device: String
    ) async throws -> ReportConsequences {
        try await write { db in
            if try Self.isRepeated(report, device, db) { return ReportConsequences() }
            let told = try Self.factsOfRules(toldBy: update, of: device, db)
            let before = try told.isEmpty ? nil : Self.ruleFacts(told, of: [device], db).first
            var items = update.items
            var isConfigurationResent = false
            if let new = items[AtRestRecord.item] {
                let old = try Self.value(AtRestRecord.item, device, db)
                if let run = AtRestRecord.startWithOlderCopy(toldBy: new, after: old) {
                    isConfigurationResent = try Self.resendConfigurations(
                        to: device, run: run, reported: Self.value(CommandedAppStatus.name, device, db), db,
                        now: report.received)
                }
                items[AtRestRecord.item] = AtRestRecord.merged(old, with: new, now: report.received)
            }
            if update.isFull {
                try db.executeCached(sql: "DELETE FROM status_item WHERE enrollment = ?", arguments: [device])
            }
            var leftOut = update.leftOut
            var merged: [String: JSONValue] = [:]
            for (name, value) in items.sorted(by: { $0.key < $1.key }) {
                merged[name] = try Self.merge(name, value, isFull: update.isFull, report.received, device, db)
                if merged[name] == nil { leftOut.add(name) }
            }
            let cut = try Self.cut(device, db)
            for name in cut { leftOut.add(name) }
            let reported = ReportedApps(update)
            let kept = try reported.map { try Self.keep($0, of: device, db, now: report.received) }
            for app in kept?.leftOut ?? [] { leftOut.add("\(AppStatus.name) \(app)") }
            for app in try Self.keep(update.feedback, of: device, db, now: report.received) {
                leftOut.add("\(AppFeedbackStatus.name) \(app)")
            }
            if !leftOut.isEmpty {
                try Self.put(LeftOutStatus.item, leftOut.value.encoded(), report.received, device, db)
            }
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
            let refusals = kept?.refusals ?? []
            // Where what it says of declarations is not kept, it counts as a report that says nothing of them.
            let declarations = DeclarationStatuses.name
            var rejected = update.rejectedApps
            if items[declarations] != nil, merged[declarations] == nil || cut.contains(declarations) {
                rejected = update.isFull ? [] : nil
            }
            if let said = try Self.keepRejected(rejected, beside: reported, on: device, db) {
                let states = said.withholding(try Self.keepReported(said, ofWithheldOn: device, db))
                try Self.keepStates(states, of: device, db)
                try Self.keepAlerts(states, of: device, by: .device(device), db, now: report.received)
            }
            for refusal in refusals {
                try Self.note(
                    refusal.stands ? .refuse : .accept, of: device, app: refusal.app,
                    configuration: refusal.configuration, version: refusal.version, db, now: report.received)
            }
            let isAudienceNew = try Self.learnAudience(of: device, from: update.items, db)
            guard let before, let after = try Self.ruleFacts(told, of: [device], db).first else {
                return ReportConsequences(
                    isAudienceNew: isAudienceNew, refusals: refusals, merged: merged,
                    isConfigurationResent: isConfigurationResent)
            }
            let changed = told.filter { before.values[$0] != after.values[$0] }
            let rules = try changed.isEmpty ? [] : Self.rules(lookingAt: changed.map(\.text).sorted(), db)
            return ReportConsequences(
                isAudienceNew: isAudienceNew, moves: try Self.judge([device], by: rules, db, now: report.received),
                refusals: refusals, merged: merged, isConfigurationResent: isConfigurationResent)
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

    package func statusItems(of device: String, _ page: PageRequest) async throws -> Page<ListedStatusItem> {
        try await read { db in
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT name, updated, length(value) AS size, IIF(length(value) <= ?, value, NULL) AS value
                    FROM status_item WHERE enrollment = ? AND name > ? ORDER BY name LIMIT ?
                    """,
                arguments: [StatusLimits.listedBytes, device, page.after ?? "", page.limit + 1])
            let items = rows.prefix(page.limit).map { row in
                ListedStatusItem(
                    name: row["name"], value: row["value"], size: row["size"], updated: row.date("updated"))
            }
            return Page(items: items, next: rows.count > page.limit ? items.last?.name : nil)
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
            try? JSONValue(parsing: $0, limits: StatusLimits.kept)
        }
    }

    /// Keeps the new value of an item and answers it; nothing where it is larger than the bound and the old one stays.
    private static func merge(
        _ name: String, _ value: JSONValue, isFull: Bool, _ now: Foundation.Date, _ device: String, _ db: Database
    ) throws -> JSONValue? {
        var old: JSONValue?
        if !isFull, case .array = value { old = try Self.value(name, device, db) }
        let merged = StatusMerge.merged(old, with: value, isFull: isFull)
        let encoded = merged.encoded()
        guard encoded.count <= StatusLimits.valueBytes else { return nil }
        try put(name, encoded, now, device, db)
        return merged
    }

    private static func put(
        _ name: String, _ value: Data, _ now: Foundation.Date, _ device: String, _ db: Database
    ) throws {
        let statement = try db.cachedStatement(
            sql: """
                INSERT INTO status_item (enrollment, name, value, updated) VALUES (?, ?, ?, ?)
                ON CONFLICT (enrollment, name) DO UPDATE SET value = excluded.value, updated = excluded.updated
                """)
        try statement.execute(arguments: [device, name, value, now.seconds])
    }

    /// Removes what is beyond the bounds of one device, those first that were reported longest ago, and answers their names.
    private static func cut(_ device: String, _ db: Database) throws -> [String] {
        let sizes = try db.cachedStatement(
            sql: "SELECT COUNT(*) AS items, SUM(length(value)) AS bytes FROM status_item WHERE enrollment = ?")
        guard let row = try Row.fetchOne(sizes, arguments: [device]),
            row["items"] > StatusLimits.items || (row["bytes"] as Int? ?? 0) > StatusLimits.deviceBytes
        else { return [] }
        let beyond = try db.cachedStatement(
            sql: """
                SELECT name FROM (
                    SELECT name, row_number() OVER newest AS place, SUM(length(value)) OVER newest AS bytes
                    FROM status_item WHERE enrollment = ? WINDOW newest AS (ORDER BY updated DESC, name)
                ) WHERE place > ? OR bytes > ? ORDER BY name
                """)
        let names = try String.fetchAll(
            beyond, arguments: [device, StatusLimits.items, StatusLimits.deviceBytes])
        let deletion = try db.cachedStatement(sql: "DELETE FROM status_item WHERE enrollment = ? AND name = ?")
        for name in names { try deletion.execute(arguments: [device, name]) }
        return names
    }
}
