import Foundation
import GRDB
import Management
import Testing

@testable import StoreSQLite

/// What is said of a store's file that cannot be opened, and how one is read without a write.
struct OpeningTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path("a store?.sqlite")
    }

    /// Red where an operator read SQLite's message and its statement.
    @Test func whatSQLiteMeansIsSaidInPlainWords() {
        let codes: [ResultCode] = [
            .SQLITE_BUSY, .SQLITE_NOMEM, .SQLITE_IOERR_LOCK, .SQLITE_READONLY, .SQLITE_CORRUPT, .SQLITE_FULL,
            .SQLITE_CANTOPEN, .SQLITE_CONSTRAINT_UNIQUE, .SQLITE_INTERRUPT,
        ]
        var meanings: Set<String> = []
        for code in codes {
            let error = DatabaseError(resultCode: code, message: "its words", sql: "SELECT 1")
            let meaning = StoreErrorText.reason(error)
            #expect(!meaning.contains("its words") && !meaning.contains("SELECT"), "\(meaning)")
            #expect(meaning.contains("(SQLite error \(code.rawValue))"), "\(meaning)")
            meanings.insert(meaning)
        }
        #expect(meanings.count == codes.count)
        let unknown = DatabaseError(resultCode: .SQLITE_MISUSE, message: "bad parameter", sql: "SELECT 1")
        #expect(StoreErrorText.reason(unknown) == "SQLite says: bad parameter (SQLite error 21)")
        #expect(StoreErrorText.reason(StoreInUse()) == StoreInUse().description)
    }

    /// Red where a database on a disk that is mounted read-only could not be read after a clean stop: its log is empty then.
    @Test func aFileWithAnEmptyLogIsReadWithoutAFileBesideIt() async throws {
        let store = try SQLiteStore(path: path)
        _ = try await store.addGroup(named: "g", author: "admin", now: Foundation.Date())
        #expect(ReadOnlyFile.name(of: path) == path, "a server has something in its log")
        try store.close()
        for suffix in ["-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + suffix) }
        for hasLog in [false, true] {
            if hasLog { try Data().write(to: URL(filePath: path + "-wal")) }
            var configuration = GRDB.Configuration()
            configuration.readonly = true
            let file = try DatabaseQueue(path: ReadOnlyFile.name(of: path), configuration: configuration)
            let names = try await file.read { db in try String.fetchAll(db, sql: "SELECT name FROM device_group") }
            #expect(names == ["g"])
            try file.close()
            #expect(!FileManager.default.fileExists(atPath: path + "-shm"), "nothing is made")
        }
        #expect(!ReadOnlyFile.isOnReadOnlyDisk(path))
    }

    /// A restore replaces what a first start left, and nothing that a server may have served.
    @Test func aStoreThatWasUsedMayHaveServed() async throws {
        #expect(!SQLiteStore.mayHaveServed(path), "there is none")
        try Data().write(to: URL(filePath: path))
        #expect(!SQLiteStore.mayHaveServed(path), "there is nothing in it")
        let store = try SQLiteStore(path: path)
        #expect(!SQLiteStore.mayHaveServed(path))
        _ = try await store.addGroup(named: "g", author: "admin", now: Foundation.Date())
        #expect(SQLiteStore.mayHaveServed(path))
        try store.close()
        try Data(repeating: 7, count: 4_096).write(to: URL(filePath: path))
        #expect(SQLiteStore.mayHaveServed(path), "what cannot be read is kept")
    }
}
