import Foundation
import GRDB
import Glibc
import Management
import Synchronization
import Testing

@testable import StoreSQLite

/// C15: a disk that takes nothing is said as such.
@Suite(.timeLimit(.minutes(10))) struct DiskWatchTests {
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

    /// SQLite says "disk I/O error" where the index of the log finds no room.
    @Test func anIndexWithoutRoomIsAFullDisk() {
        let error = DatabaseError(resultCode: .SQLITE_IOERR_SHMSIZE)
        #expect(DiskWatch.cause(error, systemError: 0, freeBytes: 4_096) == .full)
        #expect(DiskWatch.cause(error, systemError: 0, freeBytes: 1_000_000_000) == nil)
        #expect(DiskWatch.cause(error, systemError: 0) == nil, "nothing is known of the disk")
        #expect(DiskWatch.cause(error, systemError: EIO, freeBytes: 0) == nil)
    }

    /// Who starts a server reads what to do, also where it is a migration that finds no room.
    @Test func whoOpensAStoreOnADiskThatRefusesIsToldWhatToDo() throws {
        let queue = try DatabaseQueue()
        let full = #expect(throws: CannotOpen.self) {
            try DiskWatch.opening("/") {
                try queue.writeWithoutTransaction { db in
                    try db.execute(sql: "PRAGMA max_page_count = 4")
                    try db.execute(sql: "CREATE TABLE a (b); INSERT INTO a VALUES (zeroblob(1000000))")
                }
            }
        }
        #expect(full?.description == "the disk of the database is full: make room there")
        let readOnly = #expect(throws: CannotOpen.self) {
            try DiskWatch.opening("/") {
                try queue.writeWithoutTransaction { db in
                    try db.execute(sql: "PRAGMA query_only = 1")
                    try db.execute(sql: "CREATE TABLE c (d)")
                }
            }
        }
        #expect(
            readOnly?.description == "the disk of the database cannot be written to: have it mounted for writing")
        #expect(throws: DatabaseError.self) {
            try DiskWatch.opening("/") { try queue.read { db in try db.execute(sql: "no SQL") } }
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
        // A trial write succeeds, and no change was asked for.
        try await expectReadOnly(false, store)
        #expect(try await store.addGroup(named: "g", author: "admin", now: Foundation.Date()).value != nil)
        try store.close()
    }

    /// Red while an idle server was ready on a read-only disk until somebody asked for a change.
    @Test func anIdleStoreLearnsWithinAMinuteThatItsDiskIsReadOnly() async throws {
        let clock = Clock()
        let store = try SQLiteStore(path: directory.path("store.sqlite"), now: { clock.instant.withLock { $0 } })
        let said = Tally()
        store.whenDiskRefuses { _ in said.count.withLock { $0 += 1 } }
        #expect(try await !store.facts().isReadOnly)
        try await store.pool.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA query_only = 1") }
        #expect(try await !store.facts().isReadOnly, "the disk was tried a moment ago")
        clock.instant.withLock { $0 = $0.advanced(by: DiskWatch.pause) }
        // No change was asked for.
        try await expectReadOnly(true, store)
        #expect(said.count.withLock { $0 } == 1)
        try await store.pool.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA query_only = 0") }
        // A disk that is read-only is tried each time.
        try await expectReadOnly(false, store)
        try store.close()
    }

    /// On a disk that hangs, changes get no error: only that they wait is seen.
    ///
    /// Red where a trial is made only if no change waits.
    @Test func aStoreIsStuckAlsoWhereAChangeHangs() async throws {
        let clock = Clock()
        let store = try SQLiteStore(path: directory.path("store.sqlite"), now: { clock.instant.withLock { $0 } })
        let (holding, held) = AsyncStream.makeStream(of: Void.self)
        let release = DispatchSemaphore(value: 0)
        // Also where an expectation throws: the store is closed only after its writer has ended.
        defer { release.signal() }
        let hanging = Task {
            try await store.write { _ in
                held.finish()
                release.wait()
            }
        }
        for await _ in holding {}
        let isStuckAtOnce = try await store.facts().isStuck
        #expect(!isStuckAtOnce)
        clock.instant.withLock { $0 = $0.advanced(by: DiskWatch.longestTrial) }
        let isStuckLater = try await store.facts().isStuck
        #expect(isStuckLater)
        release.signal()
        try await hanging.value
        while try await store.facts().isStuck { try await Task.sleep(for: .milliseconds(5)) }
        try store.close()
    }

    /// Asks until it is so: a trial on a busy machine may go on after the answer.
    private func expectReadOnly(_ isReadOnly: Bool, _ store: SQLiteStore) async throws {
        while try await store.facts().isReadOnly != isReadOnly { try await Task.sleep(for: .milliseconds(5)) }
    }

    /// A program beside the server leaves the writing to it.
    @Test func whoIsBesideTheServerTriesNothing() async throws {
        let path = directory.path("store.sqlite")
        let server = try SQLiteStore(path: path)
        let program = try SQLiteStore(path: path, ownership: .besideServer)
        try await program.pool.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA query_only = 1") }
        #expect(try await !program.facts().isReadOnly)
        try program.close()
        try server.close()
    }

    @Test func oneTrialIsUnderWayAtMost() throws {
        let clock = Clock()
        let watch = DiskWatch(path: "/nowhere", now: { clock.instant.withLock { $0 } })
        #expect(watch.beginsTrial() && !watch.isStuck)
        clock.instant.withLock { $0 = $0.advanced(by: DiskWatch.pause) }
        #expect(!watch.beginsTrial() && watch.isStuck, "the first has not ended")
        watch.endTrial(tookWrite: true)
        #expect(!watch.isStuck)
        #expect(watch.beginsTrial())
        watch.endTrial(tookWrite: true)
        #expect(!watch.beginsTrial(), "a minute has not passed")
        try DatabaseQueue().read { db in _ = watch.judge(DatabaseError(resultCode: .SQLITE_READONLY), on: db) }
        #expect(watch.beginsTrial(), "the disk is known to be read-only")
        watch.endTrial(tookWrite: false)
        #expect(watch.isReadOnly && watch.beginsTrial())
        watch.endTrial(tookWrite: true)
        #expect(!watch.isReadOnly)
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
