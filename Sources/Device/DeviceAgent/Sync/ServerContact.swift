package import Foundation
import Logging
import Synchronization

/// Whether this device is in contact with its server: kept while the agent runs, and logged once when it changes.
package final class ServerContact: Sendable {
    /// A time in which the server gave no answer that this device can use.
    package struct Absence: Codable, Equatable, Sendable {
        /// The server's address.
        package let server: String
        package let since: Date
        /// What the last attempt found.
        package let reason: String
    }

    private struct State {
        var server: String?
        var record = ContactRecord()
    }

    private let state = Mutex(State())

    /// Begins to be about this server; what was known of another one is forgotten.
    func begin(with server: String?) {
        state.withLock { state in
            guard state.server != server else { return }
            state = State(server: server)
        }
    }

    /// The absence that lasts now; nothing while the device is in contact, or was not enrolled when it last tried.
    package var absence: Absence? {
        state.withLock { state in
            guard let server = state.server, let (since, reason) = state.record.absence else { return nil }
            return Absence(server: server, since: since, reason: reason)
        }
    }

    /// An attempt has failed; `next` is when the agent tries again.
    func failed(_ road: ContactRoad, _ reason: String, at now: Date, next: Date, log: Logger) {
        let (begins, server) = state.withLock { ($0.record.failed(road, reason, at: now), $0.server ?? "") }
        guard begins else { return }
        log.warning(
            "this device is out of contact with its server; the agent goes on trying",
            metadata: ["server": "\(server)", "why": "\(reason)", "next": "\(next.formatted(.iso8601))"])
    }

    /// The server has answered.
    func answered(_ road: ContactRoad, at now: Date, log: Logger) {
        let (since, server) = state.withLock { ($0.record.answered(road), $0.server ?? "") }
        guard let since else { return }
        log.notice(
            "this device is in contact with its server again",
            metadata: ["server": "\(server)", "after": "\(Self.span(now.timeIntervalSince(since)))"])
    }

    /// Why an error means that the device is out of contact; nothing if the server answered and can be worked with.
    ///
    /// A proxy in front of a server that is gone answers for it. A server that says when to come again is there.
    static func reason(of error: any Error) -> String? {
        switch error {
        case let silence as ServerSilence: silence.explanation
        case ServerRefusal.busy(let busy) where busy.retryAfter == nil: "the server answered that it cannot serve now"
        case ServerRefusal.status(let status) where status >= 500: "the server answered \(status)"
        default: nil
        }
    }

    /// A time as people say it, by its two largest parts.
    static func span(_ interval: TimeInterval) -> String {
        // A clock that was set back leaves nothing to count.
        let seconds = Int(min(max(interval, 0), 1e9))
        let parts = [
            (seconds / 86_400, "d"), (seconds / 3_600 % 24, "h"), (seconds / 60 % 60, "min"), (seconds % 60, "s"),
        ]
        let counted = parts.drop { $0.0 == 0 }.prefix(2).filter { $0.0 > 0 }
        return counted.isEmpty ? "0 s" : counted.map { "\($0.0) \($0.1)" }.joined(separator: " ")
    }
}

/// The ways by which the agent finds out whether its server is there.
enum ContactRoad: Hashable, Sendable {
    /// Requests of the device, after which it has nothing more to say for now.
    case conversation
    /// The stream by which the server wakes the device: an attempt to open it.
    case wakeStream
}

/// Decides from both roads when a device is out of contact.
///
/// What one road lost only an answer on it ends, or on the conversation: so a server that opens the stream and fails in
/// each conversation is one absence, not many. A stream that alone cannot be opened, because something between does not let
/// it through, is none: neither before it was open for the first time, nor once a conversation has succeeded.
struct ContactRecord: Sendable {
    private var failing: Set<ContactRoad> = []
    // A stream that has never been open may be one that something between does not let through.
    private var isStreamExcused = true
    /// Since when, and what the last attempt found.
    private(set) var absence: (since: Date, reason: String)?

    /// An attempt has failed; says whether an absence begins by that.
    mutating func failed(_ road: ContactRoad, _ reason: String, at now: Date) -> Bool {
        guard road != .wakeStream || !isStreamExcused else { return false }
        failing.insert(road)
        let since = absence?.since
        absence = (since: since ?? now, reason: reason)
        return since == nil
    }

    /// The server has answered; says since when an absence lasted that ends by that.
    mutating func answered(_ road: ContactRoad) -> Date? {
        switch road {
        case .conversation:
            isStreamExcused = isStreamExcused || failing.contains(.wakeStream)
            failing = []
        case .wakeStream:
            isStreamExcused = false
            failing.remove(.wakeStream)
        }
        guard failing.isEmpty, let since = absence?.since else { return nil }
        absence = nil
        return since
    }
}
