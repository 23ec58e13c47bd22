import Foundation
import GRDB
import Management
import StoreSQLite
import Testing

/// C13: after a clean stop the store's file is whole by itself.
struct CleanStopTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path("store.sqlite")
    }

    private var logBytes: Int {
        let size = (try? FileManager.default.attributesOfItem(atPath: path + "-wal"))?[.size] as? NSNumber
        return size?.intValue ?? 0
    }

    /// Red where the last connection to be closed was a reader: it cannot move the log, so the write stayed there.
    @Test func theFileAloneHasWhatWasWrittenLast() async throws {
        let store = try SQLiteStore(path: path)
        _ = try await store.addGroup(named: "last", author: "admin", now: Date())
        #expect(try await store.group(named: "last") != nil)
        var told: [LogLeft] = []
        try store.close { told.append($0) }
        #expect(told.isEmpty && logBytes == 0)
        let copy = directory.path("copy.sqlite")
        try FileManager.default.copyItem(atPath: path, toPath: copy)
        let second = try SQLiteStore(path: copy)
        #expect(try await second.group(named: "last") != nil)
        try second.close()
    }

    /// Somebody else reads, such as a backup: the close ends, says why the log stays, and nothing is lost.
    @Test func aCloseBesideAReaderSaysThatTheLogStays() async throws {
        let store = try SQLiteStore(path: path)
        _ = try await store.addGroup(named: "before", author: "admin", now: Date())
        let other = try DatabasePool(path: path)
        let snapshot = try other.makeSnapshot()
        _ = try await store.addGroup(named: "after", author: "admin", now: Date())
        var told: [LogLeft] = []
        try store.close { told.append($0) }
        #expect(told.map(\.reason) == ["another process reads the database"])
        #expect(logBytes > 0)
        try snapshot.close()
        try other.close()
        let again = try SQLiteStore(path: path)
        #expect(try await again.group(named: "after") != nil)
        try again.close()
        #expect(logBytes == 0)
    }

    /// What is opened beside a server leaves the server's log alone.
    @Test func whoIsBesideAServerDoesNotEmptyItsLog() async throws {
        let store = try SQLiteStore(path: path)
        _ = try await store.addGroup(named: "g", author: "admin", now: Date())
        let before = logBytes
        try SQLiteStore(path: path, ownership: .besideServer).close()
        #expect(before > 0 && logBytes == before)
        try store.close()
    }

    @Test func anUnusedStoreIsToldFromOneInUse() async throws {
        let store = try SQLiteStore(path: path)
        #expect(try await !store.isInUse())
        let administrator = Administrator(
            name: "admin", passwordHash: "none", mustChangePassword: true, passwordEnds: nil, created: Date())
        #expect(try await store.addFirstAdministrator(administrator))
        #expect(try await store.isInUse())
        try store.close()
    }
}
