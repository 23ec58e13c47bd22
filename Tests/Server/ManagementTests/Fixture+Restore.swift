import Foundation
import Management
import StoreSQLite

extension Fixture {
    /// A copy of the store as it is now; a new server goes on.
    func backup() throws -> String {
        let copy = databasePath + ".backup"
        try closeStore()
        try FileManager.default.copyItem(atPath: databasePath, toPath: copy)
        try reopen()
        return copy
    }

    /// Puts a copy back, as `martlet-server restore` does, and starts a new server on it.
    @discardableResult
    func restore(_ copy: String, _ era: Era) async throws -> RestoreConsequences {
        try closeStore()
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: databasePath + suffix) }
        try FileManager.default.copyItem(atPath: copy, toPath: databasePath)
        let store = try SQLiteStore(path: databasePath)
        let consequences = try await store.beginEra(era)
        try store.close()
        try reopen()
        return consequences
    }
}
