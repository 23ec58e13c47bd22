import Foundation
import GRDB

/// Whether a store has ever served anybody.
extension SQLiteStore {
    /// Whether anybody was ever made here: the first administrator comes before everything else.
    package func isInUse() async throws -> Bool {
        try await read { db in
            try Bool.fetchOne(
                db,
                sql: "SELECT EXISTS (SELECT 1 FROM administrator) OR EXISTS (SELECT 1 FROM enrollment)") ?? false
        }
    }

    /// Whether a server may have served from a file that no process has open; also so where it cannot be read.
    package static func mayHaveServed(_ path: String) -> Bool {
        let size = try? FileManager.default.attributesOfItem(atPath: path)[.size] as? NSNumber
        // SQLite makes a database out of an empty file.
        guard let size, size.intValue > 0 else { return false }
        var configuration = GRDB.Configuration()
        configuration.readonly = true
        do {
            let file = try DatabaseQueue(path: path, configuration: configuration)
            defer { try? file.close() }
            return try file.read { db in
                // A first start may have made some of them.
                for table in ["enrollment", "session", "device_group", "app"] {
                    guard try db.tableExists(table) else { continue }
                    if try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM \(table))") == true { return true }
                }
                return false
            }
        } catch {
            return true
        }
    }
}
