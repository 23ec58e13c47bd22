import GRDB

@testable import StoreSQLite

/// A disk that takes nothing from a store: SQLite's own bounds stand for it, so that no test needs a disk of its own.
enum RefusingDisk {
    /// Nothing that needs a page of its own is taken any more.
    static func fill(_ store: SQLiteStore) async throws {
        try await store.pool.writeWithoutTransaction { db in
            try db.execute(sql: "CREATE TABLE filler (bytes BLOB)")
            let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 1
            try db.execute(sql: "PRAGMA max_page_count = \(pages)")
            do {
                while true { try db.execute(sql: "INSERT INTO filler VALUES (zeroblob(3000))") }
            } catch let error as DatabaseError where error.resultCode == .SQLITE_FULL {}
        }
    }

    /// There is room again.
    static func makeRoom(_ store: SQLiteStore) async throws {
        try await set("max_page_count = 1073741823", store)
    }

    /// Nothing is taken, or everything again.
    static func setReadOnly(_ isReadOnly: Bool, _ store: SQLiteStore) async throws {
        try await set("query_only = \(isReadOnly ? 1 : 0)", store)
    }

    private static func set(_ pragma: String, _ store: SQLiteStore) async throws {
        try await store.pool.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA \(pragma)") }
    }
}
