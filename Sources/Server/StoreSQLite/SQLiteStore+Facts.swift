import Foundation
import GRDB
package import Management

extension SQLiteStore {
    package func facts() async throws -> StoreFacts {
        let (bytes, enrollments) = try await read { db in
            let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
            let size = try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 0
            return (pages * size, try Int.fetchOne(db, sql: "SELECT count(*) FROM enrollment") ?? 0)
        }
        let files = FileManager.default
        let log = try? files.attributesOfItem(atPath: pool.path + "-wal")[.size] as? NSNumber
        let disk = try? files.attributesOfFileSystem(forPath: pool.path)[.systemFreeSize] as? NSNumber
        return StoreFacts(
            waitingWrites: waitingWrites, mostWaitingWrites: GroupCommit.capacity, databaseBytes: bytes,
            logBytes: log?.intValue ?? 0, freeBytes: disk?.intValue,
            enrollments: enrollments)
    }
}
