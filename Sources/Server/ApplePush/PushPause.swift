package import Foundation

/// How long sending pauses after pushes failed: twice as long each time, from a second to five minutes, with full jitter.
package struct PushPause: Sendable {
    private static let longest: TimeInterval = 300
    /// A peer may ask for more than our own longest pause, within reason.
    private static let longestAsked: TimeInterval = 3_600

    private var failures = 0

    package init() {}

    package mutating func succeeded() { failures = 0 }

    /// The pause after one more failure, in seconds; `random` is from 0 to 1.
    package mutating func failed(retryAfter: TimeInterval?, random: Double) -> TimeInterval {
        failures += 1
        let bound = min(Self.longest, pow(2, Double(min(failures, 16) - 1)))
        let own = max(0.5, bound * random)
        guard let retryAfter, retryAfter > 0 else { return own }
        return max(own, min(retryAfter, Self.longestAsked))
    }
}
