package import Foundation
import GRDB
package import Management

extension SQLiteStore {
    package func deviceHistory(
        of device: String, _ page: PageRequest
    ) async throws -> Page<DeviceHistoryEntry>? {
        try await read { db in
            let isThere = try Bool.fetchOne(
                db, sql: "SELECT EXISTS (SELECT 1 FROM enrollment WHERE key = ?)", arguments: [device])
            guard isThere == true else { return nil }
            let rows = try Row.fetchAll(
                db,
                sql: "SELECT * FROM device_history WHERE enrollment = ? AND number < ? ORDER BY number DESC LIMIT ?",
                arguments: [device, page.after.flatMap { Int($0) } ?? Int.max, page.limit + 1])
            let entries = try rows.map { row in
                DeviceHistoryEntry(
                    number: row["number"], time: row.date("time"), kind: try row.word("kind"), token: row["token"],
                    app: row["app"], configuration: row["configuration"], version: row["version"])
            }
            return Page(cutting: entries, to: page.limit) { String($0.number) }
        }
    }

    package func recordSettled(device: String, epoch: Int, token: String, now: Foundation.Date) async throws {
        try await write { db in
            try db.executeCached(
                sql: """
                    UPDATE enrollment SET settled_token = :token
                    WHERE key = :key AND epoch = :epoch AND settled_token IS NOT :token
                    """,
                arguments: ["token": token, "key": device, "epoch": epoch])
            guard db.changesCount > 0 else { return }
            try Self.note(.settle, of: device, token: token, db, now: now)
        }
    }

    /// Notes what became of what a device is given; of each device the newest stay.
    static func note(
        _ kind: DeviceHistoryEntry.Kind, of device: String, token: String? = nil, app: String? = nil,
        configuration: String? = nil, version: Int? = nil, _ db: Database, now: Foundation.Date
    ) throws {
        try db.executeCached(
            sql: """
                INSERT INTO device_history (enrollment, time, kind, token, app, configuration, version)
                VALUES (?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [device, now.seconds, kind.rawValue, token, app, configuration, version])
        try db.executeCached(
            sql: """
                DELETE FROM device_history WHERE number IN (SELECT number FROM device_history WHERE enrollment = ?
                    ORDER BY number DESC LIMIT -1 OFFSET ?)
                """,
            arguments: [device, DeviceHistoryEntry.most])
    }
}
