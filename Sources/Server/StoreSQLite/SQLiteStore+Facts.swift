import Foundation
import GRDB
package import Management

extension SQLiteStore {
    package func facts() async throws -> StoreFacts {
        let bytes = try await read { db in
            let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
            let size = try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 0
            return pages * size
        }
        let files = FileManager.default
        let log = try? files.attributesOfItem(atPath: pool.path + "-wal")[.size] as? NSNumber
        let disk = try? files.attributesOfFileSystem(forPath: pool.path)[.systemFreeSize] as? NSNumber
        return StoreFacts(
            waitingWrites: waitingWrites, mostWaitingWrites: GroupCommit.capacity, databaseBytes: bytes,
            logBytes: log?.intValue ?? 0, freeBytes: disk?.intValue)
    }

    package func counts() async throws -> StoreCounts {
        try await read { db in
            var counts = StoreCounts()
            counts.enrollments =
                try Int.fetchOne(
                    db,
                    sql: """
                        SELECT (SELECT COALESCE(SUM(devices), 0) FROM device_count)
                            + (SELECT COUNT(*) FROM enrollment WHERE parent IS NOT NULL)
                        """) ?? 0
            for row in try Row.fetchAll(db, sql: "SELECT state, COUNT(*) AS number FROM job GROUP BY state") {
                counts.jobs[try row.word("state")] = row["number"]
            }
            for row in try Row.fetchAll(
                db, sql: "SELECT state, COUNT(*) AS number FROM webhook_delivery GROUP BY state")
            {
                counts.deliveries[try row.word("state")] = row["number"]
            }
            counts.requests = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM request") ?? 0
            return counts
        }
    }
}
