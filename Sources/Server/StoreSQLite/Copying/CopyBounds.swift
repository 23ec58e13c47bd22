import GRDB
package import Management

/// For how long the store may be copied, and by how much its log may grow meanwhile.
///
/// A copy is of one moment: what is written after that moment stays in the log, and takes room on the disk, until the
/// copy has ended.
package struct CopyBounds: Sendable, Equatable {
    /// A small database's log may grow by this, in bytes.
    package static let leastLogGrowth = 256 << 20

    /// How long a copy takes at most.
    package var time: Duration
    /// How long it may be without having come further.
    package var pause: Duration
    /// By how many bytes the log grows at most; nothing for the larger of the database's size and `leastLogGrowth`.
    package var logGrowth: Int?

    package init(time: Duration = .seconds(3_600), pause: Duration = .seconds(300), logGrowth: Int? = nil) {
        self.time = time
        self.pause = pause
        self.logGrowth = logGrowth
    }

    /// Why a copy has to end now; nothing while it may go on.
    package func fault(of course: CopyCourse) -> CopyFault? {
        let most = logGrowth ?? max(Self.leastLogGrowth, course.databaseBytes)
        // On a disk that is nearly full the log may not take the last of it, either.
        if course.logGrowth > 0, course.logGrowth > min(most, course.freeBytes ?? .max) {
            return .logGrew(bytes: course.logGrowth)
        }
        if course.sinceStep > pause { return .stalled(pause) }
        if course.elapsed > time { return .tooLong(time) }
        return nil
    }
}

/// How far a copy has come, and what it has cost.
package struct CopyCourse: Sendable, Equatable {
    /// Since the copy began.
    package var elapsed: Duration
    /// Since it last came further.
    package var sinceStep: Duration
    /// By how many bytes the log is larger than it was when the copy began; less than 0 where it was emptied.
    package var logGrowth: Int
    package var databaseBytes: Int
    /// On the disk of the database; nothing where the system does not say.
    package var freeBytes: Int?

    package init(
        elapsed: Duration, sinceStep: Duration, logGrowth: Int, databaseBytes: Int, freeBytes: Int? = nil
    ) {
        self.elapsed = elapsed
        self.sinceStep = sinceStep
        self.logGrowth = logGrowth
        self.databaseBytes = databaseBytes
        self.freeBytes = freeBytes
    }
}

/// Why there is no copy.
package enum CopyFault: Error, Equatable, Sendable, CustomStringConvertible {
    case logGrew(bytes: Int)
    case stalled(Duration)
    case tooLong(Duration)
    /// What was copied is not a whole store, so the store is none.
    case damaged(StoreFault)
    /// The disk to which the copy goes did not take it.
    case target(StoreDiskRefusal.Cause)

    package var description: String {
        switch self {
        case .logGrew(let bytes):
            "the database's log grew by \(bytes) bytes while the database was copied, and the disk has to keep room"
        case .stalled(let pause): "copying the database came no further for \(pause.components.seconds) seconds"
        case .tooLong(let time): "copying the database was not done after \(time.components.seconds) seconds"
        case .damaged(let fault): "the copy was looked over: \(fault)"
        case .target(.full): "the disk of the backup is full"
        case .target(.readOnly): "the disk of the backup cannot be written to"
        case .target(.denied): "writing the backup is not allowed"
        case .target(.failing): "the disk of the backup reports errors"
        case .target(.unreachable): "a file of the backup cannot be opened"
        case .target(.moved): "a file of the backup was moved or replaced"
        }
    }
}

extension CopyFault {
    /// What an error of SQLite says of the target of a copy, with the system's error where there is one; nothing if it is of
    /// the store that is copied.
    init?(_ error: DatabaseError, systemError: Int32) {
        switch error.extendedResultCode {
        // Nothing is read from the target.
        case .SQLITE_IOERR_READ, .SQLITE_IOERR_SHORT_READ: return nil
        default: break
        }
        guard let cause = DiskWatch.cause(error, systemError: systemError) else { return nil }
        self = .target(cause)
    }

    /// What an error says of the target of a copy, or the error as it is.
    static func orError(_ error: any Error, systemError: Int32 = 0) -> any Error {
        guard let known = error as? DatabaseError, let fault = CopyFault(known, systemError: systemError) else {
            return error
        }
        return fault
    }
}
