import Foundation
package import StoreSQLite

/// A new store as it is after its first start: made once in a process, and a copy of it for each test.
///
/// What each migration does is tested where stores are.
package enum EmptyStore {
    private static let made = Result {
        let folder = FileManager.default.temporaryDirectory.appending(path: "martlet-empty-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: folder) }
        let path = folder.appending(path: "store.sqlite").path
        try SQLiteStore(path: path).close()
        return try Data(contentsOf: URL(filePath: path))
    }

    /// Opens a new store at a path where none is.
    package static func open(
        path: String, readTime: Duration = .seconds(3_600),
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) throws -> SQLiteStore {
        guard
            FileManager.default.createFile(
                atPath: path, contents: try made.get(), attributes: [.posixPermissions: 0o600])
        else { throw CocoaError(.fileWriteUnknown) }
        return try SQLiteStore(path: path, readTime: readTime, now: now)
    }
}
