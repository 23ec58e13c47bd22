import AppMessages
import Foundation
import Synchronization

/// Tells the agent what decoders said.
///
/// The newest word counts: an older one that was not heard is dropped.
///
/// A thread lives only while there is something to tell.
final class ReportSender: Sendable {
    private struct State {
        var unsent: ConfigurationOutcome?
        var sent: ConfigurationOutcome?
        var isSending = false
    }

    // An agent writes a report down before it answers.
    private static let patience = 5_000

    private let path: String?
    private let state = Mutex(State())

    init(path: String?) {
        self.path = path
    }

    /// Tells an outcome, unless it was the last thing told.
    func send(_ outcome: ConfigurationOutcome) {
        state.withLock { state in
            state.unsent = outcome == state.sent && !state.isSending ? nil : outcome
        }
        retry()
    }

    /// Tells what could not be told before.
    func retry() {
        let begins = state.withLock { state in
            guard path != nil, state.unsent != nil, !state.isSending else { return false }
            state.isSending = true
            return true
        }
        guard begins else { return }
        Thread.detachNewThread { [self] in
            while let outcome = take() {
                guard tell(outcome) else { return giveBack(outcome) }
                state.withLock { $0.sent = outcome }
            }
        }
    }

    /// Prepares to tell the last outcome again: another agent may not have heard it.
    func forgetSent() {
        state.withLock { state in
            if state.unsent == nil { state.unsent = state.sent }
            state.sent = nil
        }
    }

    // The next thing to tell; the sending ends when there is none.
    private func take() -> ConfigurationOutcome? {
        state.withLock { state in
            let next = state.unsent == state.sent ? nil : state.unsent
            state.unsent = nil
            state.isSending = next != nil
            return next
        }
    }

    // Nobody listens: it waits for the agent, not in a loop.
    private func giveBack(_ outcome: ConfigurationOutcome) {
        state.withLock { state in
            state.unsent = state.unsent ?? outcome
            state.isSending = false
        }
    }

    private func tell(_ outcome: ConfigurationOutcome) -> Bool {
        guard let path else { return false }
        let reply: VarlinkReply<Varlink.Nothing>? = AgentSocket.call(
            .reportConfiguration(outcome), at: path, milliseconds: Self.patience)
        // A report that the agent refuses is not repeated: it would be refused again.
        return reply != nil
    }
}
