import Foundation
import GRDB
import Glibc
import Management
import Synchronization

/// The embedded store: one SQLite file, owned by one process.
///
/// Write-ahead logging; an answered write is on disk (`synchronous=FULL`); writes are grouped, reads run beside them.
package final class SQLiteStore: Store {
    /// Readers for devices and for the server itself.
    let pool: DatabasePool
    /// Readers for requests of administrators, so that no device waits behind them.
    let administratorPool: DatabasePool
    /// The database's file.
    let path: String
    private let readTime: Duration
    private let writer: GroupCommit
    private let lock: FileLock?
    let auditWatch: AuditWatch
    let diskWatch: DiskWatch
    let damageWatch: DamageWatch

    /// Which other processes may have the store open.
    package enum Ownership: Sendable {
        /// Nobody: what this process keeps in memory is true.
        case alone
        /// A server may; the schema must be this version's.
        case besideServer
        /// As `besideServer`; on a disk that is mounted read-only nothing is written, and nothing has to be.
        case reading
    }

    /// Opens or creates the store and brings its schema up to date.
    ///
    /// No read for an administrator takes longer than `readTime`. By `now` trials of the disk have their rhythm.
    package init(
        path: String, ownership: Ownership = .alone, readTime: Duration = .seconds(5),
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) throws {
        self.readTime = readTime
        self.path = path
        damageWatch = DamageWatch(path: path)
        lock = ownership == .alone ? try FileLock(path: path + ".lock") : nil
        if ownership == .alone { try Self.prepareFile(path) }
        var configuration = GRDB.Configuration()
        configuration.label = "martlet"
        configuration.foreignKeysEnabled = true
        configuration.busyMode = .timeout(5)
        configuration.maximumReaderCount = 4
        let isReadOnly = ownership == .reading && ReadOnlyFile.isOnReadOnlyDisk(path)
        configuration.readonly = isReadOnly
        let name = isReadOnly ? ReadOnlyFile.name(of: path) : path
        let opening = configuration
        let file = try DiskWatch.opening(path) { try DatabasePool(path: name, configuration: opening) }
        pool = file
        // What a newer version changed would be written by rules that are not its own.
        let isNewer = try DiskWatch.opening(path) { try file.read(Schema.migrator.hasBeenSuperseded) }
        guard !isNewer else { throw NewerSchema() }
        switch ownership {
        case .alone: try DiskWatch.opening(path) { try Schema.migrator.migrate(file) }
        case .besideServer, .reading:
            let isOurs = try DiskWatch.opening(path) { try file.read(Schema.migrator.hasCompletedMigrations) }
            guard isOurs else { throw OtherSchema() }
        }
        if !isReadOnly { try DiskWatch.opening(path) { try SQLiteStore.prepareWriting(file) } }
        configuration.readonly = true
        configuration.maximumReaderCount = 2
        let readers = configuration
        administratorPool = try DiskWatch.opening(path) { try DatabasePool(path: name, configuration: readers) }
        let watch = AuditWatch()
        auditWatch = watch
        let files = ownership == .alone ? OpenedFiles(of: path) : nil
        let diskWatch = DiskWatch(path: path, files: files, now: now)
        self.diskWatch = diskWatch
        writer = GroupCommit(pool: pool, disk: diskWatch) { db in watch.look(db) }
        writer.start()
    }

    /// Ends when everything accepted is written.
    ///
    /// The owner leaves all of it in the one file. Who has the store open beside a server leaves the log to that.
    ///
    /// - Parameters:
    ///   - seconds: for how long the log is moved into the file, at most.
    ///   - tell: hears why it was not, if it was not.
    /// - Throws: what SQLite says where a connection is still at work.
    package func close(
        emptyingLogWithin seconds: Double = 5, orTelling tell: (LogLeft) -> Void = { _ in }
    ) throws {
        writer.close()
        diskWatch.leave()
        try administratorPool.close()
        if lock != nil, let left = emptyLog(within: seconds) { tell(left) }
        try pool.close()
        lock?.release()
    }

    deinit { writer.close() }

    /// Whether no other process writes to the store.
    var isAlone: Bool { lock != nil }

    /// Operations that are not on the disk yet.
    var waitingWrites: Int { writer.waiting }

    /// The operations of this store that wait for the writer, or that it is at.
    package var waitingOperations: [String] { writer.waitingNames }

    /// Runs an operation in the writer; the answer comes when it is on disk.
    func write<Value: Sendable>(
        named name: StaticString = #function, _ operation: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        do {
            guard let mark = RequestMark.current else { return try await writer.write(named: name, operation) }
            return try await writer.write(named: name, Self.marked(mark, operation))
        } catch {
            throw damageWatch.judge(error)
        }
    }

    /// Reads what was last committed, with the readers of those for whom it is done.
    func read<Value: Sendable>(_ operation: @escaping @Sendable (Database) throws -> Value) async throws -> Value {
        guard StoreReaders.current == .devices else { return try await readAside(operation) }
        do {
            return try await pool.read(operation)
        } catch {
            throw readFault(error)
        }
    }

    /// Reads with the readers that no device waits for, for a limited time.
    func readAside<Value: Sendable>(
        _ operation: @escaping @Sendable (Database) throws -> Value
    ) async throws -> Value {
        do {
            return try await administratorPool.read { [readTime] db in
                try ReadDeadline(after: readTime).hold(db, operation)
            }
        } catch {
            throw readFault(error)
        }
    }

    /// Why a read failed: that the store's files were moved, that they are damaged, or the error as it is.
    private func readFault(_ error: any Error) -> any Error {
        // Another file in the place of the store's may be no database, and damages nothing.
        if error is DatabaseError, let refusal = diskWatch.refusalOfMovedFiles() { return refusal }
        return damageWatch.judge(error)
    }

    /// GRDB sets `synchronous=NORMAL` while it opens a pool, so FULL must come afterwards.
    private static func prepareWriting(_ file: DatabasePool) throws {
        try file.writeWithoutTransaction { db in
            try db.execute(sql: "PRAGMA synchronous = FULL")
            try db.execute(sql: "PRAGMA journal_size_limit = 67108864")
            guard try Int.fetchOne(db, sql: "PRAGMA synchronous") == 2 else { throw NotDurable() }
        }
    }

    /// The file holds digests of secrets: only its owner may read it.
    ///
    /// SQLite gives the files beside it the same mode.
    private static func prepareFile(_ path: String) throws {
        let descriptor = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard descriptor >= 0 else { throw CannotOpen(path: path, code: errno) }
        defer { Glibc.close(descriptor) }
        guard fchmod(descriptor, 0o600) == 0 else { throw CannotOpen(path: path, code: errno) }
    }
}

/// Keeps a second server away from the file, and a restore from where a server or another restore is.
///
/// The kernel frees it with the process.
package final class FileLock: Sendable {
    // Half a second in all.
    private static let attempts = 50
    private static let pause: useconds_t = 10_000

    private let descriptor: Mutex<Int32>

    /// Waits half a second for who is just ending.
    ///
    /// - Throws: `StoreInUse` if another process has it; `CannotOpen` if the file cannot be made.
    package init(path: String) throws {
        let opened = unsafe open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
        guard opened >= 0 else { throw CannotOpen(path: path, code: errno) }
        // A server that is just ending may have it for a moment, and so may what a process starts, until it runs.
        for attempt in 0... {
            if flock(opened, LOCK_EX | LOCK_NB) == 0 { break }
            guard attempt < Self.attempts else {
                Glibc.close(opened)
                throw StoreInUse()
            }
            usleep(Self.pause)
        }
        descriptor = Mutex(opened)
    }

    package func release() {
        descriptor.withLock { descriptor in
            if descriptor >= 0 { Glibc.close(descriptor) }
            descriptor = -1
        }
    }

    deinit { release() }
}

/// Another process has the store open.
package struct StoreInUse: Error, CustomStringConvertible {
    package var description: String { "another process uses the store" }
}

/// The file's schema is not this version's: a server must bring it up to date first.
package struct OtherSchema: Error, CustomStringConvertible {
    package var description: String {
        "the store was written by another version of the server: use that one, or start this one, which brings it up to date"
    }
}

/// The file was changed by a newer version: there is no way back but a backup.
package struct NewerSchema: Error, CustomStringConvertible {
    package var description: String { "the store was written by a newer version of the server" }
}

/// SQLite would not promise that what it answered is on disk.
struct NotDurable: Error, CustomStringConvertible {
    var description: String { "SQLite did not accept synchronous=FULL" }
}
