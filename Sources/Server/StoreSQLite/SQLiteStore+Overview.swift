import DeviceMessages
package import Foundation
import GRDB
package import Management

extension SQLiteStore {
    package func overview(_ bounds: OverviewBounds, now: Foundation.Date) async throws -> FleetOverview {
        try await read { db in
            var devices: [EnrollmentState: Int] = [:]
            for row in try Row.fetchAll(db, sql: "SELECT state, devices FROM device_count") {
                devices[try row.word("state")] = row["devices"]
            }
            let silent = try Int.fetchOne(
                db,
                sql: """
                    SELECT COUNT(*) FROM (SELECT 1 FROM enrollment INDEXED BY enrollment_by_day
                        WHERE parent IS NULL AND state = 'enrolled' AND last_seen / 86400 < ? LIMIT ?)
                    """,
                arguments: [now.seconds / 86_400 - Int64(bounds.silentDays), bounds.counted + 1])
            let codes = try Int.fetchOne(
                db,
                sql: """
                    SELECT COUNT(*) FROM (SELECT 1 FROM enrollment_code INDEXED BY enrollment_code_open
                        WHERE state = 'unused' AND renews IS NULL AND expires > ? LIMIT ?)
                    """,
                arguments: [now.seconds, bounds.counted + 1])
            let secrets = try String.fetchAll(
                db, sql: "SELECT s.name FROM secret s WHERE \(Self.lacksValue) ORDER BY s.name LIMIT ?",
                arguments: [bounds.secrets])
            return FleetOverview(
                devices: devices, silent: silent ?? 0, openCodes: codes ?? 0, apps: try Self.apps(bounds, db),
                secretsWithoutValue: secrets)
        }
    }

    package func fleetCounts(now: Foundation.Date) async throws -> FleetCounts {
        try await read { db in
            var apps: [ReportedAppState: Int] = [:]
            // Begins at the apps that administrators have: devices may report others, and there is no bound on those.
            for row in try Row.fetchAll(
                db,
                sql: """
                    SELECT c.state, SUM(c.devices) AS number
                    FROM app a CROSS JOIN app_state_count c ON c.app = a.bundle_identifier GROUP BY c.state
                    """)
            {
                guard let state = ReportedAppState(rawValue: row["state"]) else { continue }
                apps[state] = row["number"]
            }
            let unseen = try Int.fetchOne(
                db,
                sql: """
                    SELECT COUNT(*) FROM (SELECT 1 FROM enrollment INDEXED BY enrollment_by_day
                        WHERE parent IS NULL AND state = 'enrolled' AND last_seen / 86400 < ? LIMIT ?)
                    """,
                arguments: [now.seconds / 86_400 - 1, FleetCounts.mostUnseen])
            var bounds = OverviewBounds()
            bounds.memberships = FleetCounts.memberships
            let unreported = try Self.apps(bounds, db).reduce(0) { $0 + $1.unreported }
            return FleetCounts(apps: apps, unreported: unreported, unseen: unseen ?? 0)
        }
    }

    /// Reads devices only where several groups are given an app: how many there are of each kind is counted already.
    private static func apps(_ bounds: OverviewBounds, _ db: Database) throws -> [FleetOverview.App] {
        var states: [String: [ReportedAppState: Int]] = [:]
        for row in try Row.fetchAll(
            db, sql: "SELECT c.* FROM app a JOIN app_state_count c ON c.app = a.bundle_identifier")
        {
            guard let state = ReportedAppState(rawValue: row["state"]) else { continue }
            states[row["app"], default: [:]][state] = row["devices"]
        }
        let amiss = ReportedAppState.allCases.filter { !$0.isInOrder }.map(\.rawValue)
        var memberships = bounds.memberships
        let apps = try Row.fetchAll(
            db,
            sql: """
                SELECT a.bundle_identifier, a.name,
                    (SELECT COALESCE(SUM(devices), 0) FROM app_version v WHERE v.app = a.bundle_identifier) AS devices,
                    COALESCE(r.refusals, 0) AS refusals, COALESCE(g.groups, 0) AS groups,
                    COALESCE(g.least, 0) AS least, COALESCE(g.most, 0) AS most,
                    (SELECT COALESCE(SUM(devices), 0) FROM app_state_count c WHERE c.app = a.bundle_identifier
                        AND c.state IN (SELECT value FROM json_each(?)))
                    + MAX(0, COALESCE(g.least, 0) - (SELECT COALESCE(SUM(devices), 0) FROM app_state_count c
                        WHERE c.app = a.bundle_identifier)) AS amiss
                FROM app a LEFT JOIN refusal_count r ON r.app = a.bundle_identifier
                LEFT JOIN (
                    SELECT s.app, COUNT(*) AS groups, MAX(d.devices) AS least, SUM(d.devices) AS most
                    FROM assignment s JOIN device_group d ON d.name = s.group_name GROUP BY s.app
                ) g ON g.app = a.bundle_identifier
                ORDER BY amiss DESC, refusals DESC, a.bundle_identifier LIMIT ?
                """,
            arguments: [try text(of: amiss), bounds.apps]
        ).map { row in
            let identifier: String = row["bundle_identifier"]
            let states = states[identifier] ?? [:]
            let reported = states.values.reduce(0, +)
            var (least, most): (Int, Int) = (row["least"], row["most"])
            // Devices may be in several of the groups.
            if least < most, reported < most, memberships >= most {
                memberships -= most
                least = try Self.devices(given: identifier, db)
                most = least
            }
            return FleetOverview.App(
                identifier: identifier, name: row["name"], devices: row["devices"], refusals: row["refusals"],
                groups: row["groups"], states: states, unreported: max(0, least - reported),
                mayBeMoreUnreported: least < most && reported < most)
        }
        return apps.sorted {
            ($1.notInOrder, $1.refusals, $0.identifier) < ($0.notInOrder, $0.refusals, $1.identifier)
        }
    }

    package func enrolledDevices(in groups: [String]) async throws -> Int {
        let names = try Self.text(of: groups)
        // A device is in one group once.
        let members = groups.count == 1 ? "COUNT(*)" : "COUNT(DISTINCT g.enrollment)"
        // Those that are not enrolled have an index of their own: so no device is read.
        return try await read { db in
            try Int.fetchOne(
                db,
                sql: """
                    SELECT (SELECT \(members) FROM enrollment_group g
                            WHERE g.group_name IN (SELECT value FROM json_each(:names)))
                        - (SELECT COUNT(*) FROM enrollment e WHERE e.state <> 'enrolled' AND EXISTS (
                            SELECT 1 FROM enrollment_group g WHERE g.enrollment = e.key
                                AND g.group_name IN (SELECT value FROM json_each(:names))))
                    """, arguments: ["names": names]) ?? 0
        }
    }
}
