import EmptyStore
import Foundation
import GRDB
import Management
import StoreSQLite
import Testing

/// The store with which tests of other rooms begin is what a first start makes, and each test's own.
struct EmptyStoreTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test func itIsWhatAFirstStartMakes() throws {
        let (copy, fresh) = (directory.path("copy.sqlite"), directory.path("fresh.sqlite"))
        try EmptyStore.open(path: copy).close()
        try SQLiteStore(path: fresh).close()
        let made = try contents(copy)
        #expect(made.count > 100)
        #expect(try made == contents(fresh))
    }

    @Test func whatOneTestWritesNoOtherHas() async throws {
        let one = try EmptyStore.open(path: directory.path("one.sqlite"))
        _ = try #require(await one.addGroup(named: "g", rule: nil, author: "a", now: .now).value)
        let other = try EmptyStore.open(path: directory.path("other.sqlite"))
        #expect(try await one.group(named: "g") != nil)
        #expect(try await other.group(named: "g") == nil)
        for store in [one, other] { try store.close() }
    }

    /// Each table, index and trigger as it was written, and how many rows each table has.
    private func contents(_ path: String) throws -> [String] {
        let queue = try DatabaseQueue(path: path)
        defer { try? queue.close() }
        return try queue.read { db in
            let schema = try Row.fetchAll(db, sql: "SELECT type, name, sql FROM sqlite_master ORDER BY type, name")
            return try schema.map { row in
                let (type, name): (String, String) = (row["type"], row["name"])
                let rows = type == "table" ? try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM \"\(name)\"") ?? 0 : 0
                return "\(type) \(name) \(rows) \(row["sql"] as String? ?? "")"
            }
        }
    }
}
