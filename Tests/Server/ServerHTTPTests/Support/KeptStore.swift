import EmptyStore
import Foundation
import Management
import StoreSQLite

/// A store that outlives its server, with the master key of its secrets.
struct KeptStore: Sendable {
    let path: String
    let masterKey: String

    init(path: String) {
        self.path = path
        masterKey = MasterKeys.newKeyText()
    }

    /// As it is, or a new one where there is none.
    func open(readTime: Duration) throws -> SQLiteStore {
        guard FileManager.default.fileExists(atPath: path) else {
            return try EmptyStore.open(path: path, readTime: readTime)
        }
        return try SQLiteStore(path: path, readTime: readTime)
    }

    /// Puts a copy in the place of the store, which nobody has open, as `martlet-server restore` does.
    func restore(_ copy: String, _ era: Era) async throws -> RestoreConsequences {
        for suffix in ["", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
        try FileManager.default.copyItem(atPath: copy, toPath: path)
        let store = try SQLiteStore(path: path)
        let consequences = try await store.beginEra(era)
        try store.close()
        return consequences
    }
}
