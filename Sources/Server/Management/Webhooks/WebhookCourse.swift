package import Foundation

/// What came of sending an event.
package enum WebhookAnswer: Sendable, Equatable {
    /// The receiver answered; some say when to come again.
    case status(Int, retryAfter: TimeInterval? = nil)
    case fault(WebhookFault)
}

/// Why there was no answer.
///
/// Nothing of what a receiver sends is repeated.
package enum WebhookFault: String, Sendable, CaseIterable {
    case unresolved = "its name has no address"
    case notAllowed = "its address is none that the operator lets webhooks reach"
    case unreachable = "it does not accept connections"
    case untrusted = "its certificate is not trusted"
    case timeout = "it did not answer in time"
    case broken = "it ended the connection"
    case forgotten = "the log has the entry no more"
    case secretLost = "its secret is lost with its master key: give it another one"
}

/// How deliveries of a webhook go: what failed, when the next attempt is, and whether it was given up.
///
/// Values; no clock and no chance but those it is given.
package struct WebhookCourse: Sendable, Equatable {
    /// Why nothing is sent.
    package enum Reason: String, Sendable, CaseIterable {
        case administrator = "by-administrator"
        /// The receiver said 410: it wants nothing more.
        case gone
        case failed = "failed-for-days"
        /// The operator went on without its secret, whose master key is lost; a new secret enables it.
        case secretForgotten = "secret-forgotten"
    }

    /// When nothing was sent any more, and why.
    package struct Disabled: Sendable, Equatable {
        package let since: Date
        package let reason: Reason

        package init(since: Date, reason: Reason) {
            self.since = since
            self.reason = reason
        }
    }

    /// So long nothing succeeds before it is given up, and so often it was tried at least: a server that was off has not tried.
    static let patience: TimeInterval = 5 * 24 * 3_600
    static let leastAttempts = 20
    private static let firstPause: TimeInterval = 5
    private static let longestPause: TimeInterval = 3_600

    /// Attempts at the entry that is next, or at a row of them, that failed.
    package var failures = 0
    package var failingSince: Date?
    /// Not before then.
    package var next: Date?
    /// When the receiver last took an event; what an administrator ordered counts, too, and changes nothing else here.
    package var lastDelivered: Date?
    /// What the last attempt came to, unless it succeeded.
    package var problem: String?
    package var disabled: Disabled?

    package init() {}

    /// After an event was delivered, or was not; answers whether it was.
    ///
    /// `jitter` is drawn from 0 to 1: many servers that failed together do not come back together.
    @discardableResult
    package mutating func settle(_ answer: WebhookAnswer, now: Date, jitter: Double) -> Bool {
        if Self.isDelivered(answer) {
            (failures, failingSince, next, problem) = (0, nil, nil, nil)
            lastDelivered = now
            return true
        }
        failures += 1
        // A clock that was ahead may have said when it began.
        let since = min(failingSince ?? now, now)
        failingSince = since
        problem = Self.text(of: answer)
        next = now + Self.pause(after: failures, answer, jitter: jitter)
        guard disabled == nil else { return false }
        if case .status(410, _) = answer {
            disabled = Disabled(since: now, reason: .gone)
        } else if now.timeIntervalSince(since) >= Self.patience, failures >= Self.leastAttempts {
            disabled = Disabled(since: now, reason: .failed)
        }
        return false
    }

    /// Whether the next attempt may be made.
    ///
    /// A wait that is longer than any pause was reckoned by a clock that was ahead: it is over.
    package func isDue(_ now: Date) -> Bool {
        next.map { $0 <= now || $0 > now + Self.longestPause } ?? true
    }

    /// The next attempt is made at once; one that is disabled begins anew.
    ///
    /// One that fails goes on failing until its receiver takes an event: to be enabled is no delivery.
    package mutating func enable() {
        next = nil
        guard disabled != nil else { return }
        (failures, failingSince, disabled) = (0, nil, nil)
    }

    /// It leads to another address, which has as much time as every other before it is given up.
    package mutating func redirect(now: Date) {
        next = nil
        guard failures > 0 else { return }
        (failures, failingSince) = (1, now)
    }

    /// Nothing is sent any more; the reason for which it is disabled already stays.
    package mutating func disable(_ reason: Reason = .administrator, now: Date) {
        disabled = disabled ?? Disabled(since: now, reason: reason)
    }

    package static func isDelivered(_ answer: WebhookAnswer) -> Bool {
        guard case .status(let status, _) = answer else { return false }
        return (200..<300).contains(status)
    }

    /// Twice as long each time up to an hour, and between half of that and all; what a busy receiver asks for, if it is more.
    private static func pause(after failures: Int, _ answer: WebhookAnswer, jitter: Double) -> TimeInterval {
        let whole = min(firstPause * pow(2, Double(min(failures - 1, 20))), longestPause)
        let drawn = whole / 2 + whole / 2 * min(max(jitter, 0), 1)
        guard case .status(let status, let wish?) = answer, status == 429 || status == 503 else { return drawn }
        return max(drawn, min(wish, longestPause))
    }

    /// What came of an attempt, for people; nothing of a success.
    package static func text(of answer: WebhookAnswer) -> String? {
        switch answer {
        case .status(let status, _) where (200..<300).contains(status): nil
        case .status(let status, _) where (300..<400).contains(status):
            "it answered \(status): redirections are not followed"
        case .status(let status, _): "it answered \(status)"
        case .fault(let fault): fault.rawValue
        }
    }
}
