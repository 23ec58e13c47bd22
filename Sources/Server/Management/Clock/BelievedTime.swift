package import Foundation

/// Up to when the server has lived, as it keeps that across restarts: what is far beyond may be a clock that is wrong.
///
/// A step is seen only by a server that runs. A server that was started while the clock was wrong, or that was off for
/// long, finds a time beyond what it knows. It waits for a day to distinguish the two.
package struct BelievedTime: Sendable, Equatable {
    /// A later time, and for how many seconds on the boot clock it has gone on as time does.
    package struct Doubt: Sendable, Equatable {
        package var time: Date
        package var lived: TimeInterval

        package init(time: Date, lived: TimeInterval) {
            self.time = time
            self.lived = lived
        }
    }

    /// A server may be off for so long, in seconds, without doubting the time that it finds.
    package static let tolerance: TimeInterval = 24 * 3_600
    /// A later time is believed after so long, in seconds on the boot clock.
    package static let proof: TimeInterval = 24 * 3_600

    package var time: Date
    package var doubt: Doubt?

    package init(_ time: Date, doubt: Doubt? = nil) {
        self.time = time
        self.doubt = doubt
    }

    /// Whether the clock is believed, `passed` seconds on the boot clock after it was looked at last; 0 where the server
    /// has begun since.
    ///
    /// An earlier time is always believed: nothing has had its time too early by it, and a clock that was ahead comes
    /// back so.
    package mutating func believes(_ now: Date, passed: TimeInterval) -> Bool {
        let passed = max(0, passed)
        let expected = time + passed
        guard now > expected + Self.tolerance else {
            (time, doubt) = (now, nil)
            return true
        }
        time = expected
        guard let before = doubt, abs(now.timeIntervalSince(before.time + passed)) <= Self.tolerance else {
            // Another time than before proves nothing of either.
            doubt = Doubt(time: now, lived: 0)
            return false
        }
        guard before.lived + passed < Self.proof else {
            (time, doubt) = (now, nil)
            return true
        }
        doubt = Doubt(time: now, lived: before.lived + passed)
        return false
    }
}

/// The believed time, as a store keeps it.
package protocol ClockStore: Sendable {
    /// Nothing before it was first kept.
    func believedTime() async throws -> BelievedTime?
    func keepBelievedTime(_ time: BelievedTime) async throws
    /// When the newest entry of the audit log was written.
    func newestAuditTime() async throws -> Date?
}
