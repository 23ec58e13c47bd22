import EmptyStore
import Foundation
import GRDB
import Glibc
import Management
import Synchronization
import Testing
import Waiting

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
            (.SQLITE_READONLY_DBMOVED, 0, .moved), (.SQLITE_CONSTRAINT, ENOSPC, nil), (.SQLITE_CORRUPT, EIO, nil),
            (.SQLITE_IOERR_WRITE, EIO, .failing), (.SQLITE_IOERR_FSYNC, 0, .failing),
            (.SQLITE_IOERR_WRITE, EPERM, .denied), (.SQLITE_CANTOPEN, EACCES, .denied), (.SQLITE_PERM, 0, .denied),
            (.SQLITE_CANTOPEN, ENOENT, .unreachable), (.SQLITE_CANTOPEN, 0, .unreachable),
            (.SQLITE_IOERR_NOMEM, ENOMEM, nil), (.SQLITE_IOERR_BLOCKED, 0, nil),
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
        #expect(DiskWatch.cause(error, systemError: 0, freeBytes: 1_000_000_000) == .failing)
        #expect(DiskWatch.cause(error, systemError: 0) == .failing, "nothing is known of the disk's room")
        #expect(DiskWatch.cause(error, systemError: EIO, freeBytes: 0) == .failing)
    }

    /// Each cause has a sentence of its own and a remedy, with the file's path for those who may know it alone.
    @Test func eachCauseHasItsSentenceAndItsRemedy() {
        let causes: [StoreDiskRefusal.Cause] = [.full, .readOnly, .denied, .failing, .unreachable, .moved]
        let refusals = causes.map { StoreDiskRefusal($0, path: "/data/martlet.sqlite", freeBytes: nil) }
        #expect(Set(refusals.map(\.description)).count == causes.count)
        #expect(Set(refusals.map(\.detail)).count == causes.count)
        #expect(Set(refusals.map(\.commandDetail)).count == causes.count)
        for refusal in refusals {
            #expect(!refusal.description.contains("/data") && refusal.detail.contains("/data/martlet.sqlite"))
            #expect(refusal.localizedDescription.contains(refusal.commandDetail), "a command prints both")
            #expect(!refusal.localizedDescription.contains("the server goes on"), "no server does")
        }
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
        #expect(full?.cause == .disk(.full))
        let room = "the file / cannot be opened: the disk of the database is full: make room there"
        #expect(full?.description == room)
        let readOnly = #expect(throws: CannotOpen.self) {
            try DiskWatch.opening("/") {
                try queue.writeWithoutTransaction { db in
                    try db.execute(sql: "PRAGMA query_only = 1")
                    try db.execute(sql: "CREATE TABLE c (d)")
                }
            }
        }
        let mount = "the disk of the database cannot be written to: have it mounted for writing"
        #expect(readOnly?.description == "the file / cannot be opened: \(mount)")
        let other = #expect(throws: CannotOpen.self) {
            try DiskWatch.opening("/") { try queue.read { db in try db.execute(sql: "SELECT none FROM nowhere") } }
        }
        // Red where the statement was shown, too.
        #expect(other.map { !$0.description.contains("SELECT") } == true, "\(String(describing: other))")
    }

    /// Red where the disk was blamed: a file that cannot be locked or mapped is "disk I/O error", too.
    @Test func anOpeningBlamesTheDiskOnlyWhereTheSystemDoes() {
        for code in [ResultCode.SQLITE_IOERR_READ, .SQLITE_IOERR_SHMMAP, .SQLITE_IOERR_LOCK] {
            let fault = CannotOpen(
                path: directory.path("store.sqlite"), DatabaseError(resultCode: code, message: "disk I/O error"))
            let words = "the system could not read, write or lock it, or a file beside it"
            #expect(fault.cause == .other("\(words) (SQLite error \(code.rawValue))"), "\(code)")
        }
    }

    /// Red where each of these was an error by number: the system's words are the operator's.
    @Test func whatTheSystemRefusesIsSaidWithTheFile() {
        let cases: [(code: Int32, cause: CannotOpen.Cause?)] = [
            (EROFS, .disk(.readOnly)), (ENOSPC, .disk(.full)), (EDQUOT, .disk(.full)), (EACCES, .disk(.denied)),
            (EPERM, .disk(.denied)), (EIO, .disk(.failing)), (ENOTDIR, nil),
        ]
        for (code, cause) in cases {
            let fault = CannotOpen(path: "/data/martlet.sqlite.lock", code: code)
            #expect(cause == nil || fault.cause == cause, "\(code)")
            #expect(fault.description.contains("/data/martlet.sqlite.lock"))
        }
    }

    /// Red with `TransactionLost` and SQLite's own error for those whose writes shared the transaction.
    @Test func whoeverSharesAFullDiskHearsThatItIsFull() async throws {
        let store = try EmptyStore.open(path: directory.path("store.sqlite"))
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
        let store = try EmptyStore.open(path: directory.path("store.sqlite"))
        try await store.pool.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA query_only = 1") }
        do {
            _ = try await store.addGroup(named: "g", author: "admin", now: Foundation.Date())
            Issue.record("it was written")
        } catch let refusal as StoreDiskRefusal {
            #expect(refusal.cause == .readOnly)
        }
        #expect(try await store.group(named: "g") == nil, "what is there is read")
        #expect(try await store.facts().refusing == .readOnly)
        try await store.pool.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA query_only = 0") }
        // A trial write succeeds, and no change was asked for.
        try await expectReadOnly(false, store)
        #expect(try await store.addGroup(named: "g", author: "admin", now: Foundation.Date()).value != nil)
        try store.close()
    }

    /// Red while an idle server was ready on a read-only disk until somebody asked for a change.
    @Test func anIdleStoreLearnsWithinAMinuteThatItsDiskIsReadOnly() async throws {
        let clock = Clock()
        let store = try EmptyStore.open(path: directory.path("store.sqlite"), now: { clock.instant.withLock { $0 } })
        let said = Tally()
        store.whenDiskRefuses { _ in said.count.withLock { $0 += 1 } }
        #expect(try await store.facts().refusing == nil)
        try await store.pool.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA query_only = 1") }
        #expect(try await store.facts().refusing == nil, "the disk was tried a moment ago")
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
        let store = try EmptyStore.open(path: directory.path("store.sqlite"), now: { clock.instant.withLock { $0 } })
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
        try await eventually("the change is through") { try await !store.facts().isStuck }
        try store.close()
    }

    /// Asks until it is so: a trial on a busy machine may go on after the answer.
    private func expectReadOnly(_ isReadOnly: Bool, _ store: SQLiteStore) async throws {
        try await eventually("the disk is \(isReadOnly ? "read-only" : "writable")") {
            try await (store.facts().refusing == .readOnly) == isReadOnly
        }
    }

    /// A program beside the server leaves the writing to it.
    @Test func whoIsBesideTheServerTriesNothing() async throws {
        let path = directory.path("store.sqlite")
        let server = try SQLiteStore(path: path)
        let program = try SQLiteStore(path: path, ownership: .besideServer)
        try await program.pool.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA query_only = 1") }
        #expect(try await program.facts().refusing == nil)
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
        #expect(watch.refusing == .readOnly && watch.beginsTrial())
        watch.endTrial(tookWrite: true)
        #expect(watch.refusing == nil)
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

    /// Red where an idle server said once that its disk is full, and nothing more while that lasted.
    @Test func aDiskThatIsFullIsSaidEachMinuteAlsoWithoutAChange() throws {
        let (clock, said) = (Clock(), Tally())
        let watch = DiskWatch(path: "/nowhere", now: { clock.instant.withLock { $0 } })
        watch.add { _ in said.count.withLock { $0 += 1 } }
        watch.remind(freeBytes: 1 << 40)
        #expect(said.count.withLock { $0 } == 0)
        try DatabaseQueue().read { db in _ = watch.judge(DatabaseError(resultCode: .SQLITE_FULL), on: db) }
        #expect(said.count.withLock { $0 } == 1 && watch.refusing == .full)
        for minute in 2...4 {
            clock.instant.withLock { $0 = $0.advanced(by: DiskWatch.pause) }
            for _ in 0..<10 { watch.remind(freeBytes: 1 << 40) }
            #expect(said.count.withLock { $0 } == minute)
        }
        #expect(watch.beginsTrial())
        watch.endTrial(tookWrite: true)
        clock.instant.withLock { $0 = $0.advanced(by: DiskWatch.pause) }
        watch.remind(freeBytes: 1 << 40)
        #expect(said.count.withLock { $0 } == 4, "it is over")
        watch.remind(freeBytes: 4_096)
        #expect(said.count.withLock { $0 } == 5, "health calls such a disk full")
    }

    /// Red where the next trial, which takes less room than most changes, ended what a change had met a moment before.
    @Test func aDiskThatWasFullIsTriedAfterAMinute() throws {
        let clock = Clock()
        let watch = DiskWatch(path: "/nowhere", now: { clock.instant.withLock { $0 } })
        try DatabaseQueue().read { db in _ = watch.judge(DatabaseError(resultCode: .SQLITE_FULL), on: db) }
        #expect(!watch.beginsTrial() && watch.refusing == .full)
        clock.instant.withLock { $0 = $0.advanced(by: DiskWatch.pause) }
        #expect(watch.beginsTrial())
        watch.endTrial(tookWrite: true)
        #expect(watch.refusing == nil)
    }

    private final class Clock: Sendable { let instant = Mutex(ContinuousClock.now) }
    private final class Tally: Sendable { let count = Mutex(0) }
}
