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
        /// What is being told at this moment; nothing says yet whether it will have been heard.
        var telling: ConfigurationOutcome?
        var sent: ConfigurationOutcome?
        /// An agent came while an earlier attempt had not failed yet.
        var isOwedAnother = false
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
            state.unsent = outcome == state.sent && state.telling == nil ? nil : outcome
        }
        retry()
    }

    /// Tells what could not be told before.
    func retry() {
        let begins = state.withLock { state in
            guard path != nil else { return false }
            guard state.telling == nil else {
                state.isOwedAnother = true
                return false
            }
            return Self.take(&state)
        }
        guard begins else { return }
        Thread.detachNewThread { [self] in
            while let outcome = state.withLock(\.telling) {
                let isHeard = tell(outcome)
                let goesOn = state.withLock { state in
                    isHeard ? Self.heard(&state) : Self.unheard(&state)
                }
                guard goesOn else { return }
            }
        }
    }

    /// Prepares to tell the last outcome again: another agent may not have heard it.
    ///
    /// With a version, only an outcome of that one.
    func forgetSent(of version: String? = nil) {
        state.withLock { state in
            // The newest word of all; what is being told is newer than what was.
            let last = state.unsent ?? state.telling ?? state.sent
            if let version, last?.version != version { return }
            state.unsent = last
            state.sent = nil
        }
    }

    // Each answers whether there is something to tell now.

    private static func take(_ state: inout State) -> Bool {
        state.telling = state.unsent == state.sent ? nil : state.unsent
        state.unsent = nil
        state.isOwedAnother = false
        return state.telling != nil
    }

    private static func heard(_ state: inout State) -> Bool {
        state.sent = state.telling
        return take(&state)
    }

    // Nobody listens: it waits for the agent, not in a loop.
    private static func unheard(_ state: inout State) -> Bool {
        state.unsent = state.unsent ?? state.telling
        state.telling = nil
        return state.isOwedAnother && take(&state)
    }

    private func tell(_ outcome: ConfigurationOutcome) -> Bool {
        guard let path else { return false }
        let reply: VarlinkReply<Varlink.Nothing>? = AgentSocket.call(
            .reportConfiguration(outcome), at: path, milliseconds: Self.patience)
        // A report that the agent refuses is not repeated: it would be refused again.
        return reply != nil
    }
}
