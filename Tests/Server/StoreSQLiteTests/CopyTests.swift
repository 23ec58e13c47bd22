import Foundation
import GRDB
import Management
import Synchronization
import Testing

@testable import StoreSQLite

/// C9 and C12: a copy of the store ends within bounds, and is whole or is not there.
struct CopyTests {
    private let directory: TemporaryDirectory
    private let path: String
    private let copy: String

    init() throws {
        directory = try TemporaryDirectory()
        path = directory.path("store.sqlite")
        copy = directory.path("copy.sqlite")
    }

    @Test func aCopyEndsBeyondItsBounds() {
        let fine = CopyCourse(
            elapsed: .seconds(10), sinceStep: .seconds(1), logGrowth: 1 << 20, databaseBytes: 1 << 20,
            freeBytes: 1 << 40)
        func course(_ change: (inout CopyCourse) -> Void) -> CopyCourse {
            var course = fine
            change(&course)
            return course
        }
        let (standard, large) = (CopyBounds(), 1 << 34)
        let cases: [(course: CopyCourse, bounds: CopyBounds, fault: CopyFault?)] = [
            (fine, standard, nil),
            (course { $0.logGrowth = 256 << 20 }, standard, nil),
            (course { $0.logGrowth = (256 << 20) + 1 }, standard, .logGrew(bytes: (256 << 20) + 1)),
            // A large database is copied for longer.
            (course { ($0.logGrowth, $0.databaseBytes) = (1 << 33, large) }, standard, nil),
            (
                course { ($0.logGrowth, $0.databaseBytes) = (large + 1, large) }, standard,
                .logGrew(bytes: large + 1)
            ),
            (course { $0.logGrowth = 2_001 }, CopyBounds(logGrowth: 2_000), .logGrew(bytes: 2_001)),
            // The log does not take the last of the disk, and a disk that is full already can be backed up.
            (course { $0.freeBytes = 1 << 19 }, standard, .logGrew(bytes: 1 << 20)),
            (course { ($0.logGrowth, $0.freeBytes) = (0, 0) }, standard, nil),
            (course { ($0.logGrowth, $0.freeBytes) = (-5, 0) }, standard, nil),
            (course { $0.freeBytes = nil }, standard, nil),
            (course { $0.sinceStep = .seconds(300) }, standard, nil),
            (course { $0.sinceStep = .seconds(301) }, standard, .stalled(.seconds(300))),
            (course { $0.elapsed = .seconds(3_601) }, standard, .tooLong(.seconds(3_600))),
            (course { $0.elapsed = .seconds(11) }, CopyBounds(time: .seconds(10)), .tooLong(.seconds(10))),
        ]
        for (course, bounds, fault) in cases { #expect(bounds.fault(of: course) == fault, "\(course)") }
    }

    /// A step is what moves a copy on, not being asked; and what was found stays found.
    @Test func aCopyThatComesNoFurtherIsStalled() throws {
        let clock = Clock()
        let watch = CopyWatch(
            CopyBounds(time: .seconds(1_000), pause: .seconds(10)), now: { clock.instant.withLock { $0 } }
        ) { CopyWatch.Sizes(log: 0, database: 0, free: nil) }
        for done in [1, 2] {
            clock.pass(.seconds(9))
            try watch.step(done)
        }
        clock.pass(.seconds(9))
        try watch.step(2)
        #expect(watch.look() == nil)
        clock.pass(.seconds(2))
        #expect(throws: CopyFault.stalled(.seconds(10))) { try watch.step(2) }
        #expect(throws: CopyFault.stalled(.seconds(10))) { try watch.step(3) }
        #expect(watch.fault == .stalled(.seconds(10)))
    }

    /// Red while a copy had no bounds: it waited for as long as its target did, and the log grew with each write.
    @Test func aCopyThatStallsEndsBeforeTheLogFillsTheDisk() async throws {
        let store = try SQLiteStore(path: path)
        try await Self.fill(store)
        let stall = Stall()
        let copying = Task { [copy] in
            defer { stall.isEnded.withLock { $0 = true } }
            return try await store.copy(
                to: copy, within: CopyBounds(logGrowth: 1 << 20), pagesPerStep: 8, grace: .milliseconds(1),
                stuck: { stall.end($0) }, progress: { _, _ in stall.wait() })
        }
        var written = 0
        while !stall.isEnded.withLock({ $0 }), written < 100_000 {
            _ = try await store.addGroup(named: "g\(written)", author: "admin", now: Foundation.Date())
            written += 1
        }
        let result = await copying.result
        #expect(throws: CopyFault.self) { try result.get() }
        let faults = stall.faults.withLock { $0 }
        guard case .logGrew(let bytes) = faults.first, faults.count == 1 else {
            Issue.record("it ended by \(faults)")
            return
        }
        #expect(bytes > 1 << 20)
        #expect(!exists(copy), "nothing is taken for a copy")
        try await store.pool.writeWithoutTransaction { db in _ = try db.checkpoint(.truncate) }
        #expect(size(path + "-wal") == 0, "the log is free again")
        try store.close()
    }

    @Test func aCopyIsOneWholeFile() async throws {
        let store = try SQLiteStore(path: path)
        try await Self.fill(store)
        _ = try await store.addGroup(named: "before", author: "admin", now: Foundation.Date())
        let packages = try await store.copy(to: copy, pagesPerStep: 8, progress: { _, _ in })
        #expect(packages.isEmpty)
        #expect(!exists(copy + "-wal") && !exists(copy + "-journal"))
        try store.close()
        let second = try SQLiteStore(path: copy)
        #expect(try await second.group(named: "before") != nil)
        try second.close()
    }

    /// Red while nobody looked at the copy: of a damaged store there was a backup like any other.
    @Test func ofADamagedStoreThereIsNoCopy() async throws {
        try SQLiteStore(path: path).close()
        try DamagedStore.damage("webhook", in: path)
        let store = try SQLiteStore(path: path)
        let fault = await #expect(throws: CopyFault.self) {
            _ = try await store.copy(to: copy, progress: { _, _ in })
        }
        guard case .damaged(.damaged)? = fault else {
            Issue.record("it ended by \(String(describing: fault))")
            return
        }
        #expect(!exists(copy))
        try store.close()
    }

    /// Red where a full disk of the backup was "SQLite error 13: not an error".
    @Test func whatTheTargetRefusesIsToldFromTheStore() {
        let cases: [(code: ResultCode, systemError: Int32, fault: CopyFault?)] = [
            (.SQLITE_FULL, 0, .target(.full)), (.SQLITE_IOERR_WRITE, EDQUOT, .target(.full)),
            (.SQLITE_READONLY, 0, .target(.readOnly)), (.SQLITE_IOERR_FSYNC, EIO, .target(.failing)),
            (.SQLITE_CANTOPEN, 0, .target(.unreachable)), (.SQLITE_IOERR_READ, EIO, nil), (.SQLITE_CORRUPT, 0, nil),
        ]
        for (code, systemError, fault) in cases {
            #expect(CopyFault(DatabaseError(resultCode: code), systemError: systemError) == fault, "\(code)")
        }
        #expect(CopyFault.target(.full).description == "the disk of the backup is full")
    }

    private func exists(_ path: String) -> Bool { FileManager.default.fileExists(atPath: path) }

    private func size(_ path: String) -> Int {
        let size = (try? FileManager.default.attributesOfItem(atPath: path))?[.size] as? NSNumber
        return size?.intValue ?? 0
    }

    private static func fill(_ store: SQLiteStore) async throws {
        try await store.pool.writeWithoutTransaction { db in
            try db.execute(sql: "CREATE TABLE filler (bytes BLOB)")
            for _ in 0..<100 { try db.execute(sql: "INSERT INTO filler VALUES (zeroblob(8000))") }
        }
    }

    private final class Clock: Sendable {
        let instant = Mutex(ContinuousClock.now)

        func pass(_ duration: Duration) { instant.withLock { $0 = $0.advanced(by: duration) } }
    }

    /// A target that takes nothing until the watch has said that it is stuck.
    private final class Stall: Sendable {
        let isEnded = Mutex(false)
        let faults = Mutex<[CopyFault]>([])
        private let goOn = DispatchSemaphore(value: 0)

        func end(_ fault: CopyFault) {
            faults.withLock { $0.append(fault) }
            goOn.signal()
        }

        func wait() {
            // Should nobody end it, the test has an end all the same.
            _ = goOn.wait(timeout: .now() + 240)
        }
    }
}
