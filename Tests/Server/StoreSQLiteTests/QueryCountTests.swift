import Foundation
import GRDB
import Management
import Synchronization
import Testing

@testable import StoreSQLite

/// What is listed is read at once, however long the list is.
struct QueryCountTests {
    @Test func aListOfAssignmentsIsOneQuery() async throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteStore(path: directory.path("store.sqlite"))
        defer { try? store.close() }
        _ = try await store.addGroup(named: "g", author: "a", now: Date())
        try await store.write { db in
            for number in 0..<50 {
                try db.execute(
                    sql: "INSERT INTO app (bundle_identifier, name, revision) VALUES (?, 'n', 0)",
                    arguments: ["app\(number)"])
                try db.execute(
                    sql: """
                        INSERT INTO assignment (group_name, app, assigned, position) VALUES ('g', :app, 1, :number);
                        """, arguments: ["app": "app\(number)", "number": number])
                guard number % 2 == 0 else { continue }
                try db.execute(
                    sql: """
                        INSERT INTO file (sha256, bytes) VALUES (:app, x'');
                        INSERT INTO configuration (app, name, current) VALUES (:app, 'c "é"', 1);
                        INSERT INTO extension_configuration VALUES ('g', :app, 'e.1', 'c "é"'), ('g', :app, 'e.2', 'c "é"');
                        """, arguments: ["app": "app\(number)"])
            }
        }
        let queries = try await Self.queries(of: store)
        let page = try await store.assignments(AssignmentFilter(group: "g"), PageRequest(limit: 50))
        #expect(page.items.count == 50)
        #expect(queries.count.withLock { $0 } == 1)
        let extensions = page.items.map(\.extensions)
        #expect(extensions.filter { $0 == ["e.1": "c \"é\"", "e.2": "c \"é\""] }.count == 25)
        #expect(extensions.filter(\.isEmpty).count == 25)
    }

    /// What is counted over all devices reads the index of it, and the status of no device.
    @Test func refusalsAndVersionsAreCountedWithoutDevicesStatuses() async throws {
        let directory = try TemporaryDirectory()
        let store = try SQLiteStore(path: directory.path("store.sqlite"))
        defer { try? store.close() }
        let queries = try await Self.queries(of: store)
        _ = try await store.refusals(of: "a", limit: 500)
        _ = try await store.versions(of: "a", limit: 200)
        _ = try await store.refusals(on: "d")
        #expect(queries.texts.withLock { $0.count } == 3)
        for sql in queries.texts.withLock({ $0 }) {
            let plan = try await store.read { db in
                try Row.fetchAll(db, sql: "EXPLAIN QUERY PLAN " + sql).map { $0["detail"] as String }
            }
            let tables = plan.filter { $0.hasPrefix("SCAN") || $0.hasPrefix("SEARCH") }
            #expect(!tables.isEmpty && tables.allSatisfy { !$0.contains("status_item") })
            #expect(tables.allSatisfy { $0.hasPrefix("SEARCH") || $0 == "SCAN k" }, "\(plan)")
        }
    }

    private static func queries(of store: SQLiteStore) async throws -> Queries {
        let queries = Queries()
        try await store.read { db in
            db.trace { event in
                guard case .statement(let statement) = event, statement.sql.contains("SELECT") else { return }
                queries.count.withLock { $0 += 1 }
                queries.texts.withLock { $0.append(statement.expandedSQL) }
            }
        }
        return queries
    }
}

private final class Queries: Sendable {
    let count = Mutex(0)
    let texts = Mutex<[String]>([])
}
