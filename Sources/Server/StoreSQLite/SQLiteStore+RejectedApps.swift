import DeviceMessages
import Foundation
import GRDB
import InputBounds
import Management

/// The apps whose declarations a device reports as invalid.
extension SQLiteStore {
    package func rejectedApps(on device: String) async throws -> Set<String> {
        try await read { db in Set(try Self.rejectedApps(on: device, db).keys) }
    }

    /// Keeps the apps whose declarations a device reports as invalid, and returns the states of apps by this and by the
    /// report; nil where neither says anything of apps.
    ///
    /// What the device reports of such an app is kept beside it, and becomes its state again with the declaration that
    /// is valid. `rejected` is nil where the report says nothing of declarations.
    static func keepRejected(
        _ rejected: Set<String>?, beside report: ReportedApps?, on device: String, _ db: Database
    ) throws -> ReportedApps? {
        guard report != nil || rejected != nil else { return nil }
        let known = try rejectedApps(on: device, db)
        let present = rejected ?? Set(known.keys)
        guard !known.isEmpty || !present.isEmpty else { return report }
        let said = Dictionary((report?.apps ?? []).map { ($0.identifier, $0.state) }, uniquingKeysWith: { $1 })
        let withheld = try withheldApps(on: device, db)
        var states: [String: ReportedAppState?] = [:]
        for app in present.union(known.keys) {
            let reported: ReportedAppState?
            if report?.isWhole == true || said.keys.contains(app) {
                reported = said[app] ?? nil
            } else if let row = known[app] {
                reported = row.reported
            } else if let row = withheld[app] {
                reported = row.reported
            } else {
                reported = try state(of: app, on: device, db)
            }
            guard present.contains(app) else {
                try db.executeCached(
                    sql: "DELETE FROM app_rejected WHERE enrollment = ? AND app = ?", arguments: [device, app])
                states.updateValue(reported, forKey: app)
                continue
            }
            if known[app] == nil || known[app]?.reported != reported {
                try db.executeCached(
                    sql: """
                        INSERT INTO app_rejected (enrollment, app, state) VALUES (?, ?, ?)
                        ON CONFLICT (enrollment, app) DO UPDATE SET state = excluded.state
                        """, arguments: [device, app, reported?.rawValue])
            }
            states.updateValue(ReportedAppState.whereRejected(reported), forKey: app)
        }
        return (report ?? ReportedApps(states: [:])).replacing(states)
    }

    /// What is kept of an app whose declaration is reported as invalid.
    private struct RejectedApp {
        /// The state that the device last reported; nothing of an app that it does not report.
        let reported: ReportedAppState?
    }

    private static func rejectedApps(on device: String, _ db: Database) throws -> [String: RejectedApp] {
        let rows = try Row.fetchAll(
            db.cachedStatement(sql: "SELECT app, state FROM app_rejected WHERE enrollment = ?"), arguments: [device])
        return rows.reduce(into: [:]) { apps, row in
            let state: String? = row["state"]
            apps[row["app"]] = RejectedApp(reported: state.flatMap { ReportedAppState(rawValue: $0) })
        }
    }
}

extension Schema {
    /// The apps whose declarations a device reports as invalid.
    ///
    /// Of devices that are there already, the last report says it. An app whose identifier is longer than a declaration's
    /// may be follows with its device's next report.
    static func rejectedApps(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE app_rejected (
                    enrollment TEXT NOT NULL REFERENCES enrollment(key) ON DELETE CASCADE, app TEXT NOT NULL,
                    state TEXT, PRIMARY KEY (enrollment, app)
                ) STRICT, WITHOUT ROWID;
                """)
        let apps = try Set(String.fetchAll(db, sql: "SELECT bundle_identifier FROM app"))
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT enrollment, value FROM status_item WHERE name = ? AND instr(value, CAST('invalid' AS BLOB)) > 0
                """, arguments: [DeclarationStatuses.name])
        while let row = try rows.next() {
            guard let value = try? JSONValue(parsing: row["value"] as Data, limits: StatusLimits.kept),
                let reported = try? DeclarationStatuses(value)
            else { continue }
            let prefix = "martlet.app."
            let invalid = reported.configurations.filter { $0.valid == .invalid && $0.identifier.hasPrefix(prefix) }
            let rejected = Set(invalid.map { String($0.identifier.dropFirst(prefix.count)) }).intersection(apps)
            guard !rejected.isEmpty else { continue }
            let device: String = row["enrollment"]
            guard let said = try SQLiteStore.keepRejected(rejected, beside: nil, on: device, db) else { continue }
            let states = said.withholding(try SQLiteStore.keepReported(said, ofWithheldOn: device, db))
            try SQLiteStore.keepStates(states, of: device, db)
            // As with alerts before: a problem that stands already is not recorded as a new one.
            for app in states.apps {
                guard let alert = app.state.flatMap({ AppAlert($0) }) else { continue }
                try db.execute(
                    sql: """
                        INSERT INTO app_alert (enrollment, app, kind, recorded, stands) VALUES (?, ?, ?, 0, 1)
                        ON CONFLICT (enrollment, app, kind) DO UPDATE SET stands = 1
                        """, arguments: [device, app.identifier, alert.rawValue])
            }
        }
    }
}
