/// Decides when the device may speak with its server again.
///
/// Waits are drawn from nothing up to a bound that doubles with each failure ("full jitter"), so that devices which lost
/// their server together do not come back together. An attempt before its time, because the server itself has called,
/// is allowed once in a wait; failing, it makes the device neither more patient nor less. A server that says it is
/// overloaded is left alone for as long as it asks, even if it calls.
package struct Backoff: Sendable, Equatable {
    package typealias Instant = ContinuousClock.Instant

    private struct Wait: Equatable {
        let end: Instant
        var isFirm: Bool
    }

    private let first: Duration
    private let longest: Duration
    private let longestAsked: Duration
    private var failures = 0
    private var wait: Wait?

    /// Waits up to `first` after the first failure, twice as long after each further one, and at most `longest`.
    ///
    /// A server may ask for up to `longestAsked`: one that asks for more must not lose its devices forever.
    package init(first: Duration, longest: Duration, longestAsked: Duration = .seconds(3_600)) {
        self.first = first
        self.longest = longest
        self.longestAsked = longestAsked
    }

    /// Whether to make an attempt now; `called` says that the server itself has just been heard.
    package mutating func mayTry(at now: Instant, called: Bool = false) -> Bool {
        guard let wait, now < wait.end else { return true }
        guard called, !wait.isFirm else { return false }
        self.wait?.isFirm = true
        return true
    }

    /// An attempt has failed; says when the next is due.
    package mutating func failed(
        at now: Instant, busy: Busy? = nil, using random: inout some RandomNumberGenerator
    ) -> Instant {
        let isEarly = wait.map { now < $0.end } ?? false
        if isEarly, busy == nil, let wait { return wait.end }
        if !isEarly { failures = min(failures + 1, 64) }
        var bound = first
        for _ in 1..<max(failures, 1) where bound < longest { bound = bound * 2 }
        bound = min(bound, longest)
        // Full jitter alone may be next to nothing: too soon for a server that could not keep up.
        let floor = busy.map { min($0.retryAfter ?? bound / 2, longestAsked) } ?? .zero
        let end = now + floor + bound * Double.random(in: 0...1, using: &random)
        wait = Wait(end: max(end, wait?.end ?? end), isFirm: busy != nil)
        return wait?.end ?? end
    }

    /// An attempt has failed; says when the next is due, by the system's random numbers.
    package mutating func failed(at now: Instant, busy: Busy? = nil) -> Instant {
        var random = SystemRandomNumberGenerator()
        return failed(at: now, busy: busy, using: &random)
    }

    /// An attempt has succeeded: the next failure is the first again.
    package mutating func succeeded() {
        failures = 0
        wait = nil
    }
}

/// A server's word that it is asked too much: 503 or 429, and for how long it wants to be left alone if it said so.
package struct Busy: Sendable, Equatable {
    package let retryAfter: Duration?

    package init(retryAfter: Duration? = nil) { self.retryAfter = retryAfter }

    /// The word in an answer, if there is one.
    init?(_ reply: ServerReply) {
        guard reply.status == 503 || reply.status == 429 else { return nil }
        self.init(retryAfter: reply.retryAfter)
    }
}
