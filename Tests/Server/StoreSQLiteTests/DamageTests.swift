import Foundation
import GRDB
import Management
import Synchronization
import Testing

@testable import StoreSQLite

/// C12: a store that cannot be read does not say that all is well.
struct DamageTests {
    private let directory: TemporaryDirectory
    private let path: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path("store.sqlite")
    }

    /// Red while the facts were the header's alone: no page of a table was read for them.
    @Test func theFactsAreReadFromTables() async throws {
        try SQLiteStore(path: path).close()
        try DamagedStore.damage("audit", in: path)
        let store = try SQLiteStore(path: path)
        #expect(try await store.facts().standing == .damaged)
        try store.close()
    }

    /// Red while each request forgot what the one before had met.
    @Test func damageThatWasMetAnywhereStaysUntilARestart() async throws {
        try SQLiteStore(path: path).close()
        try DamagedStore.damage("webhook", in: path)
        let store = try SQLiteStore(path: path)
        let said = Tally()
        store.whenDamaged { said.count.withLock { $0 += 1 } }
        #expect(try await store.facts().standing == .readable)
        for readers in [StoreReaders.devices, .administrators] {
            // Red where SQLite's own error was thrown: with its statement, and without the file.
            await #expect(throws: StoreDamage(.malformed, path: path)) {
                _ = try await StoreReaders.$current.withValue(readers) {
                    try await store.read { db in try Int.fetchOne(db, sql: "SELECT MAX(rowid) FROM webhook") }
                }
            }
        }
        #expect(try await store.group(named: "none") == nil, "the rest is read")
        #expect(try await store.facts().standing == .damaged)
        #expect(said.count.withLock { $0 } == 1)
        store.whenDamaged { said.count.withLock { $0 += 1 } }
        #expect(said.count.withLock { $0 } == 2, "who comes late hears of it, too")
        try store.close()
    }

    /// Red where the operator read SQLite's words, and nothing of the file or of what to do.
    @Test func whoOpensAFileThatIsNoDatabaseIsToldSo() async throws {
        try SQLiteStore(path: path).close()
        let file = try FileHandle(forUpdating: URL(filePath: path))
        try file.write(contentsOf: Data(repeating: 0xFF, count: 100))
        try file.close()
        for ownership in [SQLiteStore.Ownership.alone, .besideServer] {
            let fault = #expect(throws: CannotOpen.self) { _ = try SQLiteStore(path: path, ownership: ownership) }
            #expect(fault?.cause == .damaged(.noDatabase))
            let words = fault?.description ?? ""
            #expect(words.contains(path) && words.contains("martlet-server restore"), "\(words)")
        }
        let faults = try await SQLiteStore.faults(ofFile: path, isServed: true)
        guard case .damaged(let finding)? = faults.first else {
            Issue.record("a check finds \(faults)")
            return
        }
        #expect(!finding.isEmpty && finding.count <= 200)
        let rule = faults.first?.rule(of: path) ?? ""
        #expect(rule.contains(path) && rule.contains(finding) && rule.contains("martlet-server restore"), "\(rule)")
    }

    @Test func aRefusedChangeIsNoDamage() async throws {
        let store = try SQLiteStore(path: path)
        await #expect(throws: DatabaseError.self) {
            try await store.write { db in try db.execute(sql: "INSERT INTO webhook (nothing) VALUES (1)") }
        }
        #expect(try await store.facts().standing == .readable)
        try store.close()
    }

    private final class Tally: Sendable { let count = Mutex(0) }
}

/// A store's file of which a part was overwritten while nobody had it open.
enum DamagedStore {
    /// Overwrites the page at which a table begins.
    static func damage(_ table: String, in path: String) throws {
        let queue = try DatabaseQueue(path: path)
        let sql = "SELECT rootpage FROM sqlite_master WHERE type = 'table' AND name = ?"
        let page = try queue.read { db in try Int.fetchOne(db, sql: sql, arguments: [table]) }
        let size = try queue.read { db in try Int.fetchOne(db, sql: "PRAGMA page_size") }
        try queue.close()
        guard let page, let size, page > 1 else { throw CocoaError(.fileReadUnknown) }
        let file = try FileHandle(forUpdating: URL(filePath: path))
        try file.seek(toOffset: UInt64((page - 1) * size))
        try file.write(contentsOf: Data(repeating: 0xFF, count: size))
        try file.close()
    }
}
