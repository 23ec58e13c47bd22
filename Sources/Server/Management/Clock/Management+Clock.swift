import Foundation
import Synchronization

/// The believed time in memory, and when it was written down.
final class ClockBelief: Sendable {
    private struct State {
        var time: BelievedTime?
        /// The boot clock when it was last looked at.
        var looked: TimeInterval = 0
        var written: TimeInterval?
        var isBelieved = true
    }

    /// It is written down so often at least, in seconds: a doubt loses no more when the server ends.
    private static let interval: TimeInterval = 1_800

    private let state = Mutex(State())

    var isLoaded: Bool { state.withLock { $0.time != nil } }

    /// What the last look came to.
    var isBelieved: Bool { state.withLock { $0.isBelieved } }

    /// Goes on from what was kept, at the moment at which the server began.
    func begin(_ kept: BelievedTime, at start: ClockReading) {
        state.withLock { state in
            guard state.time == nil else { return }
            var time = kept
            state.isBelieved = time.believes(start.wall, passed: 0)
            state.time = time
            state.looked = start.boot
        }
    }

    /// Whether the clock is believed, and what is to be written down, if anything.
    func look(_ reading: ClockReading) -> (isBelieved: Bool, kept: BelievedTime?) {
        state.withLock { state in
            guard var time = state.time else { return (false, nil) }
            let isBelieved = time.believes(reading.wall, passed: reading.boot - state.looked)
            let isDue = state.written.map { reading.boot - $0 >= Self.interval } ?? true
            let isNews = isBelieved != state.isBelieved
            (state.time, state.looked, state.isBelieved) = (time, reading.boot, isBelieved)
            guard isDue || isNews else { return (isBelieved, nil) }
            state.written = reading.boot
            return (isBelieved, time)
        }
    }
}

extension Management {
    /// Whether something may end for good because its time is over: the clock did not just step forward, and is not far
    /// beyond the time up to which the server has lived.
    ///
    /// To be asked again whenever that is about to happen.
    package func endsByAge() async throws -> Bool {
        if !belief.isLoaded {
            // A store of an earlier version has the audit log to go by.
            let kept = try await store.believedTime()
            let newest = try await store.newestAuditTime() ?? clock.start.wall
            belief.begin(kept ?? BelievedTime(newest), at: clock.start)
        }
        let (reading, step) = clock.look()
        let (isBelieved, kept) = belief.look(reading)
        if let kept { try await store.keepBelievedTime(kept) }
        return isBelieved && step?.isForward != true
    }

    /// The present moment in whole seconds, as it is without a step of the clock that has not settled.
    var steadyMoment: Date { Date(timeIntervalSince1970: clock.steady.timeIntervalSince1970.rounded(.down)) }

    /// Whether the clock was believed when that was last looked at.
    package var believesClock: Bool { belief.isBelieved }
}
