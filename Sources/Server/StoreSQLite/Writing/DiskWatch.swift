import Foundation
import GRDB
import GRDBSQLite
import Glibc
package import Management
import Synchronization

/// Tells a disk that refuses from what else goes wrong with a write, and says so: once, and once a minute while it lasts.
final class DiskWatch: Sendable {
    /// Also the rhythm in which the disk is tried.
    static let pause: Duration = .seconds(60)
    /// With less room than this the index of the log, which grows by 32 KiB, may have none.
    private static let indexRoom = 1_048_576
    /// A trial write that takes longer has met a disk that is stuck, not one that is slow.
    static let longestTrial: Duration = .seconds(10)

    private struct State {
        var said: ContinuousClock.Instant?
        /// What it refused last, and when, since when no trial succeeded.
        var last: (refusal: StoreDiskRefusal, moment: ContinuousClock.Instant)?
        /// When the last trial began.
        var tried: ContinuousClock.Instant?
        var isTrying = false
        /// The store is being closed: SQLite removes the files of its log.
        var isLeft = false
        var calls: [@Sendable (StoreDiskRefusal) -> Void] = []
    }

    private let path: String
    private let files: OpenedFiles?
    private let now: @Sendable () -> ContinuousClock.Instant
    private let state = Mutex(State())

    /// Watches the disk of a store's file; of `files` it notices that they were moved.
    init(
        path: String, files: OpenedFiles? = nil, now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.path = path
        self.files = files
        self.now = now
    }

    func add(_ call: @escaping @Sendable (StoreDiskRefusal) -> Void) { state.withLock { $0.calls.append(call) } }

    /// Why the disk could not be written to, if no trial has shown since that it can.
    var refusing: StoreDiskRefusal.Cause? { state.withLock { $0.last?.refusal.cause } }

    /// Whether a trial is under way that should have ended long ago.
    var isStuck: Bool {
        let moment = now()
        return state.withLock { state in
            guard state.isTrying, let tried = state.tried else { return false }
            return moment - tried >= Self.longestTrial
        }
    }

    /// Begins a trial write if one is due, and says whether it did: then the caller writes, and ends the trial.
    ///
    /// One is due a minute after the last, or at once while the disk is known to refuse; never beside another one. A disk
    /// that was full is tried once it has room, or after a minute: a quota does not show in its free bytes, and the trial
    /// takes less room than most changes.
    func beginsTrial() -> Bool {
        let moment = now()
        let freeBytes = refusing == .full ? Self.freeBytes(at: path) : nil
        return state.withLock { state in
            guard !state.isTrying else { return false }
            if let last = state.last {
                let isEarly = moment - last.moment < Self.pause
                if last.refusal.cause == .full, isEarly, !Self.hasRoom(freeBytes, after: last.refusal) { return false }
            } else if let tried = state.tried, moment - tried < Self.pause {
                return false
            }
            state.tried = moment
            state.isTrying = true
            return true
        }
    }

    /// Ends a trial; if the disk took the write, it refuses no longer.
    ///
    /// A change that succeeds is no proof of that: it may have been taken before the disk refused another one.
    func endTrial(tookWrite: Bool) {
        state.withLock { state in
            state.isTrying = false
            if tookWrite { state.last = nil }
        }
    }

    /// The refusal of a store whose files were moved or replaced; nothing while they are where they were opened.
    ///
    /// What is written to such files is lost at the next start: it is asked before each transaction.
    func refusalOfMovedFiles() -> StoreDiskRefusal? {
        // In this order: files that were removed by the close are not taken for moved ones.
        guard let moved = files?.firstMoved, !state.withLock(\.isLeft) else { return nil }
        return note(StoreDiskRefusal(.moved, path: moved, freeBytes: Self.freeBytes(at: path)))
    }

    /// The files are not looked at any more; to be called before they are closed.
    func leave() { state.withLock { $0.isLeft = true } }

    /// Says what is wrong with the disk, at most once a minute; also where it is nearly full and has refused nothing yet.
    func remind(freeBytes: Int?) {
        let known = state.withLock { $0.last?.refusal }
        let isNearlyFull = freeBytes.map { $0 < StoreFacts.leastRoom } == true
        guard let cause = known?.cause ?? (isNearlyFull ? .full : nil) else { return }
        say(StoreDiskRefusal(cause, path: known?.path ?? path, freeBytes: freeBytes))
    }

    /// The refusal of the disk that an error of SQLite is, or the error as it is.
    ///
    /// Asked on the connection that failed, before anything else is done with it: it knows the system's error.
    func judge(_ error: any Error, on db: Database) -> any Error {
        guard let error = error as? DatabaseError, let connection = unsafe db.sqliteConnection else { return error }
        let systemError = unsafe Self.systemError(on: connection)
        guard let refusal = Self.refusal(error, systemError: systemError, path: path) else { return error }
        return note(refusal)
    }

    private func note(_ refusal: StoreDiskRefusal) -> StoreDiskRefusal {
        let moment = now()
        state.withLock { $0.last = (refusal, moment) }
        say(refusal)
        return refusal
    }

    /// Whether a disk that had too little room for anything when it refused has enough now.
    private static func hasRoom(_ freeBytes: Int?, after refusal: StoreDiskRefusal) -> Bool {
        guard let before = refusal.freeBytes, let freeBytes else { return false }
        return before < StoreFacts.leastRoom && freeBytes >= StoreFacts.leastRoom
    }

    /// Opens or prepares a store's file; throws a `CannotOpen` that says what to do if the disk refuses.
    static func opening<Value>(_ path: String, _ body: () throws -> Value) throws -> Value {
        do {
            return try body()
        } catch let error as DatabaseError {
            throw CannotOpen(path: path, error)
        }
    }

    private func say(_ refusal: StoreDiskRefusal) {
        let moment = now()
        let calls: [@Sendable (StoreDiskRefusal) -> Void] = state.withLock { state in
            if let said = state.said, moment - said < Self.pause { return [] }
            state.said = moment
            return state.calls
        }
        for call in calls { call(refusal) }
    }

    /// The system's error behind the last one of SQLite on a connection; 0 where there is none.
    static func systemError(of db: Database) -> Int32 {
        guard let connection = unsafe db.sqliteConnection else { return 0 }
        return unsafe systemError(on: connection)
    }

    private static func refusal(_ error: DatabaseError, systemError: Int32, path: String) -> StoreDiskRefusal? {
        Self.cause(error, systemError: systemError, freeBytes: freeBytes(at: path)).map { cause in
            StoreDiskRefusal(cause, path: path, freeBytes: freeBytes(at: path))
        }
    }

    static func freeBytes(at path: String) -> Int? {
        let disk = try? FileManager.default.attributesOfFileSystem(forPath: path)[.systemFreeSize] as? NSNumber
        return disk?.intValue
    }

    /// The system's error behind the last one of SQLite; 0 where there is none.
    ///
    /// Many versions of SQLite keep none of a commit that failed. The file that could not be written has it: the log,
    /// or the database itself.
    private static func systemError(on connection: OpaquePointer) -> Int32 {
        let kept = unsafe sqlite3_system_errno(connection)
        guard kept == 0 else { return kept }
        let log = unsafe lastError(ofFile: SQLITE_FCNTL_JOURNAL_POINTER, on: connection)
        guard log == 0 else { return log }
        return unsafe lastError(ofFile: SQLITE_FCNTL_FILE_POINTER, on: connection)
    }

    private static func lastError(ofFile pointer: Int32, on connection: OpaquePointer) -> Int32 {
        var found: UnsafeMutablePointer<sqlite3_file>?
        guard unsafe sqlite3_file_control(connection, "main", pointer, &found) == SQLITE_OK,
            let file = unsafe found, let methods = unsafe file.pointee.pMethods,
            let control = unsafe methods.pointee.xFileControl
        else { return 0 }
        var number: Int32 = 0
        return unsafe control(file, SQLITE_FCNTL_LAST_ERRNO, &number) == SQLITE_OK ? number : 0
    }

    /// What an error of SQLite says of the disk, with the system's error where there is one; nothing if it is another.
    static func cause(
        _ error: DatabaseError, systemError: Int32, freeBytes: @autoclosure () -> Int? = nil
    ) -> StoreDiskRefusal.Cause? {
        switch error.resultCode {
        case .SQLITE_FULL: .full
        case .SQLITE_READONLY: error.extendedResultCode == .SQLITE_READONLY_DBMOVED ? .moved : .readOnly
        case .SQLITE_PERM: .denied
        // SQLite takes only ENOSPC for a full disk, and that only of a write: neither a quota nor a sync.
        case .SQLITE_IOERR:
            switch error.extendedResultCode {
            // The machine lacks memory, or another process has a lock.
            case .SQLITE_IOERR_NOMEM, .SQLITE_IOERR_BLOCKED: nil
            // The index of the log is made as a store is opened; SQLite keeps no system error where it cannot grow.
            case .SQLITE_IOERR_SHMSIZE where systemError == 0:
                freeBytes().map { $0 < Self.indexRoom } == true ? .full : .failing
            default: StoreDiskRefusal.Cause(systemError: systemError) ?? .failing
            }
        case .SQLITE_CANTOPEN: StoreDiskRefusal.Cause(systemError: systemError) ?? .unreachable
        default: nil
        }
    }
}

extension StoreDiskRefusal.Cause {
    /// What an error of the system says of the disk; nothing if it says nothing of it.
    init?(systemError: Int32) {
        switch systemError {
        case ENOSPC, EDQUOT, EFBIG: self = .full
        case EROFS: self = .readOnly
        case EPERM, EACCES: self = .denied
        case EIO: self = .failing
        default: return nil
        }
    }
}

extension SQLiteStore {
    /// Has a call made when the disk refuses a change, at most once a minute.
    package func whenDiskRefuses(_ call: @escaping @Sendable (StoreDiskRefusal) -> Void) { diskWatch.add(call) }
}
