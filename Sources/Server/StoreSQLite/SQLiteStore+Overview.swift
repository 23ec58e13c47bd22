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
            let apps = try Row.fetchAll(
                db,
                sql: """
                    SELECT a.bundle_identifier, a.name,
                        (SELECT COALESCE(SUM(devices), 0) FROM app_version v WHERE v.app = a.bundle_identifier) AS devices,
                        COALESCE(r.refusals, 0) AS refusals,
                        (SELECT COUNT(*) FROM assignment g WHERE g.app = a.bundle_identifier) AS groups
                    FROM app a LEFT JOIN refusal_count r ON r.app = a.bundle_identifier
                    ORDER BY refusals DESC, a.bundle_identifier LIMIT ?
                    """,
                arguments: [bounds.apps]
            ).map { row in
                FleetOverview.App(
                    identifier: row["bundle_identifier"], name: row["name"], devices: row["devices"],
                    refusals: row["refusals"], groups: row["groups"])
            }
            return FleetOverview(devices: devices, silent: silent ?? 0, openCodes: codes ?? 0, apps: apps)
        }
    }

    package func enrolledDevices(in groups: [String]) async throws -> Int {
        let names = try Self.text(of: groups)
        return try await read { db in
            try Int.fetchOne(
                db,
                sql: """
                    SELECT COUNT(*) FROM enrollment e WHERE e.state = 'enrolled' AND e.key IN (
                        SELECT g.enrollment FROM enrollment_group g
                        WHERE g.group_name IN (SELECT value FROM json_each(?)))
                    """, arguments: [names]) ?? 0
        }
    }
}
