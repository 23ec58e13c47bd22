/// Whether a piece of work has stood still for too long, judged by the processor's time that it uses.
///
/// Work that waits for a disk uses none, whatever system call it waits in; work that comes slowly further uses some.
package struct Standstill: Sendable, Equatable {
    /// Less than this between two looks is none: a thread that wakes up uses some of it.
    package static let leastWork: Duration = .microseconds(100)

    /// More time than this between two looks passed while the process itself was stopped.
    package static let longestLook: Duration = .seconds(1)

    private let limit: Duration
    private var work: Duration
    private var looked: ContinuousClock.Instant
    private var idle: Duration = .zero

    package init(limit: Duration, work: Duration, now: ContinuousClock.Instant) {
        self.limit = limit
        self.work = work
        looked = now
    }

    /// Looks once.
    ///
    /// - Parameters:
    ///   - work: the processor's time that the work has used since it began.
    ///   - now: the moment of the look.
    /// - Returns: whether it has to be given up.
    package mutating func look(work: Duration, now: ContinuousClock.Instant) -> Bool {
        idle = work - self.work >= Self.leastWork ? .zero : idle + min(now - looked, Self.longestLook)
        self.work = work
        looked = now
        return idle > limit
    }
}
