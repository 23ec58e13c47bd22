import DeviceMessages
package import Foundation
import GRDB
import Management

/// The apps of which the server withholds something from a device.
extension SQLiteStore {
    package func recordWithheld(
        _ apps: Set<String>, on device: String, epoch: Int, now: Foundation.Date
    ) async throws {
        try await write { db in
            let isPresent = try Bool.fetchOne(
                db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM enrollment WHERE key = ? AND epoch = ?)"),
                arguments: [device, epoch])
            // Another life of the enrollment has begun: it will ask again.
            guard isPresent == true else { return }
            let known = try Self.withheldApps(on: device, db)
            var states: [String: ReportedAppState] = [:]
            for app in apps.subtracting(known.keys) {
                let reported = try Self.state(of: app, on: device, db)
                try db.executeCached(
                    sql: "INSERT INTO app_withheld (enrollment, app, state) VALUES (?, ?, ?)",
                    arguments: [device, app, reported?.rawValue])
                states[app] = reported?.whereWithheld
            }
            for (app, row) in known where !apps.contains(app) {
                try db.executeCached(
                    sql: "DELETE FROM app_withheld WHERE enrollment = ? AND app = ?", arguments: [device, app])
                // Only so many apps of a device are counted: one that is not among them has no state.
                if try Self.state(of: app, on: device, db) != nil { states[app] = row.reported }
            }
            guard !states.isEmpty else { return }
            let changed = ReportedApps(states: states)
            try Self.keepStates(changed, of: device, db)
            try Self.keepAlerts(changed, of: device, by: .server, db, now: now)
        }
    }

    /// Keeps what a device reports of the apps of which something is withheld, and returns these apps.
    ///
    /// It becomes their state again when nothing is withheld anymore, without another report of the device.
    static func keepReported(
        _ report: ReportedApps, ofWithheldOn device: String, _ db: Database
    ) throws -> Set<String> {
        let known = try withheldApps(on: device, db)
        guard !known.isEmpty else { return [] }
        let said = Dictionary(report.apps.map { ($0.identifier, $0.state) }, uniquingKeysWith: { $1 })
        for (app, row) in known {
            guard report.isWhole || said.keys.contains(app) else { continue }
            let state: ReportedAppState? = said[app] ?? nil
            guard state != row.reported else { continue }
            try db.executeCached(
                sql: "UPDATE app_withheld SET state = ? WHERE enrollment = ? AND app = ?",
                arguments: [state?.rawValue, device, app])
        }
        return Set(known.keys)
    }

    /// What is kept of an app of which something is withheld.
    struct WithheldApp {
        /// The state that the device last reported; nothing of an app that it does not have.
        let reported: ReportedAppState?
    }

    /// The apps of which something is withheld from a device.
    static func withheldApps(on device: String, _ db: Database) throws -> [String: WithheldApp] {
        let rows = try Row.fetchAll(
            db.cachedStatement(sql: "SELECT app, state FROM app_withheld WHERE enrollment = ?"), arguments: [device])
        return rows.reduce(into: [:]) { apps, row in
            let state: String? = row["state"]
            apps[row["app"]] = WithheldApp(reported: state.flatMap { ReportedAppState(rawValue: $0) })
        }
    }

    /// The state by which an app on a device is counted; nothing of one that has none.
    static func state(of app: String, on device: String, _ db: Database) throws -> ReportedAppState? {
        let state = try String.fetchOne(
            db.cachedStatement(sql: "SELECT state FROM app_state WHERE enrollment = ? AND app = ?"),
            arguments: [device, app])
        return state.flatMap { ReportedAppState(rawValue: $0) }
    }
}

extension Schema {
    /// The apps of which the server withholds something from a device.
    ///
    /// For devices that are enrolled already, the server finds it when they next connect.
    static func withheldApps(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE app_withheld (
                    enrollment TEXT NOT NULL REFERENCES enrollment(key) ON DELETE CASCADE, app TEXT NOT NULL,
                    state TEXT, PRIMARY KEY (enrollment, app)
                ) STRICT, WITHOUT ROWID;
                """)
    }
}
