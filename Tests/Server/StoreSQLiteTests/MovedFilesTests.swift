import Foundation
import Management
import Testing
import Waiting

@testable import StoreSQLite

/// A store takes no change that the next start would not find.
@Suite(.timeLimit(.minutes(10))) struct MovedFilesTests {
    private let directory: TemporaryDirectory
    private let path: String
    private let files = FileManager.default

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path("store.sqlite")
    }

    /// Red where the change was taken and the store was ready: SQLite writes on to files that have no name.
    @Test(arguments: ["", "-wal", "-shm"])
    func aStoreWhoseFilesWereMovedAwayTakesNoChange(suffix: String) async throws {
        let store = try SQLiteStore(path: path)
        _ = try await store.addGroup(named: "before", author: "admin", now: Foundation.Date())
        #expect(try await store.facts().refusing == nil)
        try files.moveItem(atPath: path + suffix, toPath: path + suffix + ".away")
        let refusal = await #expect(throws: StoreDiskRefusal.self) {
            _ = try await store.addGroup(named: "lost", author: "admin", now: Foundation.Date())
        }
        #expect(refusal?.cause == .moved && refusal?.detail.contains(path + suffix + ":") == true, "\(refusal as Any)")
        #expect(store.diskRefusal == .moved)

        try files.moveItem(atPath: path + suffix + ".away", toPath: path + suffix)
        try await eventually("the store takes changes again") { try await store.facts().refusing == nil }
        #expect(try await store.addGroup(named: "after", author: "admin", now: Foundation.Date()).value != nil)
        #expect(try await store.group(named: "before") != nil)
        #expect(try await store.group(named: "lost") == nil, "what was refused was not done")
        try store.close()
    }

    /// An idle store, too: no change was asked for.
    @Test func aFileInItsPlaceIsAnotherOne() async throws {
        let store = try SQLiteStore(path: path)
        #expect(try await store.facts().refusing == nil)
        try files.moveItem(atPath: path, toPath: path + ".away")
        try Data("another".utf8).write(to: URL(filePath: path))
        #expect(try await store.facts().refusing == .moved)
        try files.removeItem(atPath: path)
        try files.moveItem(atPath: path + ".away", toPath: path)
        try await eventually("the store takes changes again") { try await store.facts().refusing == nil }
        try store.close()
    }

    /// Red where a read after the close took the log's files, which SQLite removes then, for moved ones.
    @Test func whatACloseRemovesIsNotMissed() async throws {
        let store = try SQLiteStore(path: path)
        try store.close()
        _ = try? await store.facts()
        #expect(store.diskRefusal == nil)
    }

    @Test func aFileThatIsGoneIsNamed() throws {
        try Data().write(to: URL(filePath: path))
        let opened = OpenedFiles(of: path)
        #expect(opened.firstMoved == nil)
        try files.removeItem(atPath: path)
        #expect(opened.firstMoved == path)
        #expect(OpenedFiles(of: directory.path("none")).firstMoved == nil, "what was not there is not missed")
    }
}
