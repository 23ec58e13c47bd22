import Foundation
import Synchronization

/// Slows down guessing: after five failures for a name, each further one doubles the wait, to five minutes at most.
///
/// Memory is bounded: beyond `capacity` names the oldest failure is forgotten.
final class LogInThrottle: Sendable {
    private struct Failures {
        var count: Int
        var last: Date
    }

    private let capacity: Int
    private let failures = Mutex<[String: Failures]>([:])

    init(capacity: Int = 10_000) {
        self.capacity = capacity
    }

    /// Seconds that must still pass before the next attempt for this name; the attempt counts as failed until
    /// `succeeded` is called, so that parallel guesses do not pass together.
    func begin(_ name: String, now: Date) -> Int? {
        failures.withLock { failures in
            if let earlier = failures[name] {
                let wait = Self.wait(after: earlier.count) - now.timeIntervalSince(earlier.last)
                if wait > 0 { return Int(wait.rounded(.up)) }
            } else if failures.count >= capacity,
                let oldest = failures.min(by: { $0.value.last < $1.value.last })
            {
                failures[oldest.key] = nil
            }
            let count = failures[name].map { now.timeIntervalSince($0.last) > 3_600 ? 0 : $0.count } ?? 0
            failures[name] = Failures(count: count + 1, last: now)
            return nil
        }
    }

    func succeeded(_ name: String) {
        failures.withLock { $0[name] = nil }
    }

    private static func wait(after count: Int) -> TimeInterval {
        count < 5 ? 0 : min(300, pow(2, Double(min(count, 20) - 5)))
    }
}
