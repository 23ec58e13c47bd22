import EmptyStore
import Foundation
import GRDB
import Management
import Testing

@testable import StoreSQLite

/// Devices do not wait behind what administrators ask for.
struct ReaderTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    private func store(readTime: Duration) throws -> SQLiteStore {
        try EmptyStore.open(path: directory.path("store.sqlite"), readTime: readTime)
    }

    /// Takes many times as long as a read may; it has an end, so that a test that fails has one, too.
    private static let long =
        "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c WHERE x < 20000000) SELECT COUNT(*) FROM c"

    /// A10: a read for an administrator ends in time, and the connection serves the next one.
    @Test func aReadForAnAdministratorEndsInTime() async throws {
        let store = try store(readTime: .milliseconds(50))
        defer { try? store.close() }
        for _ in 0..<3 {
            await #expect(throws: ReadTooLong.self) {
                try await StoreReaders.$current.withValue(.administrators) {
                    try await store.read { db in try Int.fetchOne(db, sql: Self.long) }
                }
            }
        }
        let group = try await StoreReaders.$current.withValue(.administrators) {
            try await store.group(named: "none")
        }
        #expect(group == nil)
    }

    /// A10: however many administrators search, those who read for devices have readers of their own.
    @Test func devicesHaveReadersOfTheirOwn() async throws {
        let store = try store(readTime: .seconds(3_600))
        defer { try? store.close() }
        let (begun, begin) = AsyncStream.makeStream(of: Void.self)
        let release = DispatchSemaphore(value: 0)
        try await withThrowingTaskGroup(of: Bool.self) { group in
            for _ in 0..<8 {
                group.addTask {
                    try await StoreReaders.$current.withValue(.administrators) {
                        try await store.read { _ in
                            begin.yield()
                            // Should searches hold the readers of devices, they let go of them after a while.
                            return release.wait(timeout: .now() + 240) == .timedOut
                        }
                    }
                }
            }
            var searching = begun.makeAsyncIterator()
            for _ in 0..<2 { _ = await searching.next() }
            #expect(try await store.group(named: "none") == nil)
            for _ in 0..<8 { release.signal() }
            for try await hasGivenUp in group { #expect(!hasGivenUp, "a device waited for a search") }
        }
    }

    /// A10: the members of a group are counted when they come and go, not when somebody names the group.
    @Test func membersAreCountedWhenTheyComeAndGo() async throws {
        let store = try store(readTime: .seconds(3_600))
        defer { try? store.close() }
        _ = try await store.addGroup(named: "g", author: "a", now: Date())
        try await store.write { db in
            for key in ["a", "b", "c"] {
                try db.execute(
                    sql: """
                        INSERT INTO enrollment (key, kind, state, ownership, supervised, fingerprint, epoch, facts, enrolled)
                            VALUES (:key, 'device', 'enrolled', 'organization', 1, X'07', 1, '{}', 1);
                        INSERT INTO enrollment_group VALUES (:key, 'g');
                        """, arguments: ["key": key])
            }
        }
        #expect(try await store.group(named: "g")?.devices == 3)
        try await store.write { db in
            try db.execute(
                sql: "DELETE FROM enrollment WHERE key = 'a'; DELETE FROM enrollment_group WHERE enrollment = 'b'")
        }
        #expect(try await store.group(named: "g")?.devices == 1)
        let plan = try await store.read { db in
            try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN \(SQLiteStore.groupColumns) name = 'g'")
                .map { $0["detail"] as String }
        }
        #expect(!plan.isEmpty && plan.allSatisfy { !$0.contains("enrollment_group") }, "\(plan)")
    }
}
