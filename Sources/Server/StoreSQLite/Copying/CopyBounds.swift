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

    package var description: String {
        switch self {
        case .logGrew(let bytes):
            "the database's log grew by \(bytes) bytes while the database was copied, and the disk has to keep room"
        case .stalled(let pause): "copying the database came no further for \(pause.components.seconds) seconds"
        case .tooLong(let time): "copying the database was not done after \(time.components.seconds) seconds"
        case .damaged(let fault): "the copy was looked over: \(fault)"
        }
    }
}
