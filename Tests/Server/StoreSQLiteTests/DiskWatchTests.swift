import Foundation
import GRDB
import Glibc
import Management
import Synchronization
import Testing

@testable import StoreSQLite

/// C15: a disk that takes nothing is said as such.
struct DiskWatchTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    @Test func whatSQLiteSaysIsToldApart() {
        let cases: [(code: ResultCode, systemError: Int32, cause: StoreDiskRefusal.Cause?)] = [
            (.SQLITE_FULL, 0, .full), (.SQLITE_IOERR_WRITE, ENOSPC, .full), (.SQLITE_IOERR_FSYNC, EDQUOT, .full),
            (.SQLITE_IOERR_WRITE, EFBIG, .full), (.SQLITE_IOERR_WRITE, EROFS, .readOnly),
            (.SQLITE_CANTOPEN, EROFS, .readOnly), (.SQLITE_READONLY, 0, .readOnly),
            (.SQLITE_READONLY_DBMOVED, 0, nil), (.SQLITE_IOERR_WRITE, EIO, nil), (.SQLITE_CONSTRAINT, ENOSPC, nil),
        ]
        for (code, systemError, cause) in cases {
            let error = DatabaseError(resultCode: code)
            #expect(DiskWatch.cause(error, systemError: systemError) == cause, "\(code) \(systemError)")
        }
    }

    /// Red with `TransactionLost` and SQLite's own error for those whose writes shared the transaction.
    @Test func whoeverSharesAFullDiskHearsThatItIsFull() async throws {
        let store = try SQLiteStore(path: directory.path("store.sqlite"))
        let said = Tally()
        store.whenDiskRefuses { _ in said.count.withLock { $0 += 1 } }
        try await store.pool.writeWithoutTransaction { db in
            let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 1
            try db.execute(sql: "PRAGMA max_page_count = \(pages)")
        }
        let refused = try await withThrowingTaskGroup(of: Bool.self) { group in
            for number in 0..<5_000 {
                group.addTask {
                    do {
                        _ = try await store.addGroup(named: "g\(number)", author: "admin", now: Foundation.Date())
                        return false
                    } catch let refusal as StoreDiskRefusal {
                        return refusal.cause == .full && refusal.freeBytes != nil
                    }
                }
            }
            return try await group.reduce(0) { $0 + ($1 ? 1 : 0) }
        }
        #expect(refused > 0)
        #expect(said.count.withLock { $0 } >= 1)
        try await store.pool.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA max_page_count = 1073741823")
        }
        #expect(try await store.addGroup(named: "later", author: "admin", now: Foundation.Date()).value != nil)
        try store.close()
    }

    @Test func aDiskThatCannotBeWrittenToIsNotCalledFull() async throws {
        let store = try SQLiteStore(path: directory.path("store.sqlite"))
        try await store.pool.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA query_only = 1") }
        do {
            _ = try await store.addGroup(named: "g", author: "admin", now: Foundation.Date())
            Issue.record("it was written")
        } catch let refusal as StoreDiskRefusal {
            #expect(refusal.cause == .readOnly)
        }
        #expect(try await store.group(named: "g") == nil, "what is there is read")
        #expect(try await store.facts().isReadOnly)
        try await store.pool.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA query_only = 0") }
        #expect(try await store.addGroup(named: "g", author: "admin", now: Foundation.Date()).value != nil)
        #expect(try await !store.facts().isReadOnly, "the disk took a change")
        try store.close()
    }

    /// One line, not one for each request.
    @Test func aDiskThatRefusesIsSaidOnceAMinute() throws {
        let (clock, said) = (Clock(), Tally())
        let watch = DiskWatch(path: "/nowhere", now: { clock.instant.withLock { $0 } })
        watch.add { _ in said.count.withLock { $0 += 1 } }
        try DatabaseQueue().read { db in
            for _ in 0..<100 { _ = watch.judge(DatabaseError(resultCode: .SQLITE_FULL), on: db) }
            _ = watch.judge(DatabaseError(resultCode: .SQLITE_CONSTRAINT), on: db)
            #expect(said.count.withLock { $0 } == 1)
            clock.instant.withLock { $0 = $0.advanced(by: DiskWatch.pause) }
            _ = watch.judge(DatabaseError(resultCode: .SQLITE_FULL), on: db)
            #expect(said.count.withLock { $0 } == 2)
        }
    }

    private final class Clock: Sendable { let instant = Mutex(ContinuousClock.now) }
    private final class Tally: Sendable { let count = Mutex(0) }
}
