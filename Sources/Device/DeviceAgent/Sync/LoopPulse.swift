import Synchronization

/// Whether the conversation with the server gets on, for the service manager's watchdog.
///
/// A conversation takes as long as it takes, but no step of it does: each has a time limit.
final class LoopPulse: Sendable {
    /// Longer than any step: the longest is a certificate that its authority is asked for again and again.
    static let longestStep = Duration.seconds(900)

    private let step = Mutex<ContinuousClock.Instant?>(nil)

    /// A conversation begins.
    func begin() { step.withLock { $0 = .now } }

    /// It got on.
    func goOn() { step.withLock { if $0 != nil { $0 = .now } } }

    /// It has ended: until the next one nothing is waited for.
    func rest() { step.withLock { $0 = nil } }

    /// Whether a conversation that has begun has not got on for too long.
    func hangs(at now: ContinuousClock.Instant = .now) -> Bool {
        step.withLock { step in step.map { now - $0 > Self.longestStep } ?? false }
    }
}
