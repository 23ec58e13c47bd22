import Dispatch
import GRDB
import Synchronization

/// Leaving a store so that its file is whole by itself.
extension SQLiteStore {
    /// How long a close waits for each other reader, such as a backup, in milliseconds.
    private static let readersMilliseconds = 250

    /// Moves what lies in the log beside the file into the file, and empties the log.
    ///
    /// Nothing depends on it: what stays in the log is read from there when the store is opened again.
    ///
    /// - Parameter seconds: after which it is given up, whatever the log's size.
    /// - Returns: why the log was not emptied; nothing if it was.
    func emptyLog(within seconds: Double) -> LogLeft? {
        let bound = CheckpointBound(pool)
        DispatchQueue.global().asyncAfter(deadline: .now() + seconds) { bound.interrupt() }
        defer { bound.lift() }
        do {
            try pool.writeWithoutTransaction { db in
                try db.execute(sql: "PRAGMA busy_timeout = \(Self.readersMilliseconds)")
                try db.checkpoint(.truncate)
            }
            return nil
        } catch let error as DatabaseError where error.resultCode == .SQLITE_BUSY {
            return LogLeft(reason: "another process reads the database")
        } catch let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT {
            return LogLeft(reason: "it took too long")
        } catch let error as DatabaseError {
            return LogLeft(reason: error.meaning)
        } catch {
            return LogLeft(reason: "\(error)")
        }
    }
}

/// Why a store that was closed has a log beside its file: who copies the file copies the log with it.
package struct LogLeft: Equatable, Sendable {
    package let reason: String
}

/// Ends what a connection is at when its time is over, and touches it no more once that is done.
private final class CheckpointBound: Sendable {
    private let pool: Mutex<DatabasePool?>

    init(_ pool: DatabasePool) { self.pool = Mutex<DatabasePool?>(pool) }

    func interrupt() {
        pool.withLock { pool in
            guard let pool else { return }
            pool.interrupt()
        }
    }

    func lift() { pool.withLock { $0 = nil } }
}
