import DeviceMessages
package import Foundation
import GRDB
import InputBounds
import Management

/// Problems of the fleet that the audit log records when they begin.
extension SQLiteStore {
    package func alertUnseen(limit: Int, now: Foundation.Date) async throws -> Bool {
        try await write { db in
            // The first day whose devices count as seen, as in `fleetCounts`.
            let end = now.seconds / 86_400 - 1
            guard let place = try Row.fetchOne(db, sql: "SELECT day, passed FROM unseen_place") else {
                try db.execute(sql: "INSERT INTO unseen_place (one, day, passed) VALUES (1, ?, 0)", arguments: [end])
                return false
            }
            let (day, passed): (Int64, Int64) = (place["day"], place["passed"])
            guard day < end else { return false }
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT rowid AS number, key, last_seen FROM enrollment INDEXED BY enrollment_by_day
                    WHERE parent IS NULL AND state = 'enrolled'
                        AND last_seen / 86400 >= :day AND last_seen / 86400 < :end
                        AND (last_seen / 86400 > :day OR rowid > :passed)
                    ORDER BY last_seen / 86400, rowid LIMIT :limit
                    """,
                arguments: ["day": day, "end": end, "passed": passed, "limit": limit])
            var tail = try AuditTail(db)
            for row in rows {
                let lastSeen = row.date("last_seen").formatted(.iso8601)
                try tail.append(
                    .alertUnseen, row["key"], ["lastSeen": .string(lastSeen)], by: .server, db, now: now)
            }
            var next: (day: Int64, passed: Int64) = (end, 0)
            let isMore = rows.count == limit
            if isMore, let last = rows.last { next = (last.date("last_seen").seconds / 86_400, last["number"]) }
            try db.execute(
                sql: "UPDATE unseen_place SET day = ?, passed = ?", arguments: [next.day, next.passed])
            return isMore
        }
    }

    /// Records the problems of apps that begin with these states, and notes those that ended.
    ///
    /// Only apps that administrators have count: a device may report any number of others.
    static func keepAlerts(
        _ report: ReportedApps, of device: String, by actor: AuditActor, _ db: Database, now: Foundation.Date
    ) throws {
        var known: [String: [AppAlert: AppAlerts.Record]] = [:]
        for row in try Row.fetchAll(
            db.cachedStatement(sql: "SELECT app, kind, recorded, stands FROM app_alert WHERE enrollment = ?"),
            arguments: [device])
        {
            let kind: AppAlert = try row.word("kind")
            known[row["app"], default: [:]][kind] = AppAlerts.Record(
                recorded: row.date("recorded"), stands: row["stands"])
        }
        let failing = report.apps.filter { $0.state?.isFailing == true }.map(\.identifier)
        guard !known.isEmpty || !failing.isEmpty else { return }
        let ours = try Self.ours(failing, db)
        var states: [(app: String, state: ReportedAppState?)] = []
        for app in report.apps where known[app.identifier] != nil || ours.contains(app.identifier) {
            // A problem of an app that administrators removed from the server has ended.
            let isGone = app.state?.isFailing == true && !ours.contains(app.identifier)
            states.append((app: app.identifier, state: isGone ? nil : app.state))
        }
        if report.isWhole {
            let named = Set(report.apps.map(\.identifier))
            for app in known.keys where !named.contains(app) { states.append((app: app, state: nil)) }
        }
        for (app, state) in states {
            var alerts = AppAlerts(known[app] ?? [:])
            let begun = alerts.apply(state, now: now)
            try keepRecords(alerts.records, insteadOf: known[app] ?? [:], of: app, on: device, db)
            guard let begun, let state else { continue }
            try audit(
                begun.action, device, ["app": .string(app), "state": .string(state.rawValue)], by: actor, db, now: now)
        }
    }

    /// Which of these apps administrators have.
    private static func ours(_ apps: [String], _ db: Database) throws -> Set<String> {
        guard !apps.isEmpty else { return [] }
        return try Set(
            String.fetchAll(
                db.cachedStatement(
                    sql: "SELECT j.value FROM json_each(?) j CROSS JOIN app a ON a.bundle_identifier = j.value"),
                arguments: [text(of: apps)]))
    }

    /// What is as it was is not written again.
    private static func keepRecords(
        _ new: [AppAlert: AppAlerts.Record], insteadOf old: [AppAlert: AppAlerts.Record], of app: String,
        on device: String, _ db: Database
    ) throws {
        for (kind, record) in old where new[kind] != record {
            try db.executeCached(
                sql: "DELETE FROM app_alert WHERE enrollment = ? AND app = ? AND kind = ?",
                arguments: [device, app, kind.rawValue])
        }
        for (kind, record) in new where old[kind] != record {
            try db.executeCached(
                sql: "INSERT INTO app_alert (enrollment, app, kind, recorded, stands) VALUES (?, ?, ?, ?, ?)",
                arguments: [device, app, kind.rawValue, record.recorded.seconds, record.stands])
        }
    }
}

extension Schema {
    /// The problems of apps on devices that were recorded, and the place up to which unseen devices were.
    ///
    /// Problems that stand already are not recorded: alerts begin with what changes from now on.
    static func alerts(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE app_alert (
                    enrollment TEXT NOT NULL REFERENCES enrollment(key) ON DELETE CASCADE, app TEXT NOT NULL,
                    kind TEXT NOT NULL, recorded INTEGER NOT NULL, stands INTEGER NOT NULL,
                    PRIMARY KEY (enrollment, app, kind)
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE unseen_place (
                    one INTEGER PRIMARY KEY CHECK (one = 1), day INTEGER NOT NULL, passed INTEGER NOT NULL
                ) STRICT;
                INSERT INTO app_alert
                SELECT enrollment, app, CASE state WHEN 'unapplied' THEN 'refused' ELSE state END, 0, 1 FROM app_state
                WHERE state IN ('refused', 'unapplied', 'failed', 'withheld')
                    AND app IN (SELECT bundle_identifier FROM app);
                """)
    }
}
