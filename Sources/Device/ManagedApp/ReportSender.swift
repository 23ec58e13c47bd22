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
        /// Whatever comes of it, what is being told is to be told again: who hears it may forget it.
        var isForgotten = false
        /// An agent came while an earlier attempt had not failed yet.
        var isOwedAnother = false
    }

    private enum Hearing {
        case heard
        /// There is an agent, but it did not answer in time.
        case late
        case nobody
    }

    private static let longestPause = Duration.seconds(60)

    private let path: String?
    private let patience: Duration
    private let firstPause: Duration
    private let state = Mutex(State())

    /// Tells the agent at `path`; an agent writes a report down before it answers, which takes at most `patience`.
    ///
    /// It repeats a report without an answer after `firstPause`, and then at ever longer intervals.
    init(path: String?, patience: Duration = .seconds(5), firstPause: Duration = .seconds(1)) {
        self.path = path
        self.patience = patience
        self.firstPause = firstPause
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
            var pause = firstPause
            while let outcome = state.withLock(\.telling) {
                let hearing = tell(outcome)
                // If an agent comes meanwhile, this thread sends the report.
                if hearing == .late {
                    Thread.sleep(forTimeInterval: pause / .seconds(1))
                    pause = min(pause * 2, Self.longestPause)
                }
                let goesOn = state.withLock { state in
                    switch hearing {
                    case .heard: Self.heard(&state)
                    case .late: Self.late(&state)
                    case .nobody: Self.unheard(&state)
                    }
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
            state.isForgotten = state.telling != nil
        }
    }

    // Each answers whether there is something to tell now.

    private static func take(_ state: inout State) -> Bool {
        state.telling = state.unsent == state.sent ? nil : state.unsent
        state.unsent = nil
        (state.isOwedAnother, state.isForgotten) = (false, false)
        return state.telling != nil
    }

    private static func heard(_ state: inout State) -> Bool {
        state.sent = state.isForgotten ? nil : state.telling
        return take(&state)
    }

    private static func late(_ state: inout State) -> Bool {
        state.unsent = state.unsent ?? state.telling
        return take(&state)
    }

    // Nobody listens: it waits for the agent, not in a loop.
    private static func unheard(_ state: inout State) -> Bool {
        state.unsent = state.unsent ?? state.telling
        state.telling = nil
        return state.isOwedAnother && take(&state)
    }

    private func tell(_ outcome: ConfigurationOutcome) -> Hearing {
        guard let path else { return .nobody }
        let reply: Result<VarlinkReply<Varlink.Nothing>, AgentConversation.Ending> = AgentSocket.call(
            .reportConfiguration(outcome), at: path, milliseconds: Int(patience / .milliseconds(1)))
        return switch reply {
        // The agent could not write it down now.
        case .success(let reply) where reply.isInternalError: .late
        // A report that the agent refuses is not repeated: it would be refused again.
        case .success: .heard
        case .failure(.late): .late
        case .failure(.gone): .nobody
        }
    }
}

extension VarlinkReply {
    fileprivate var isInternalError: Bool {
        if case .failure(.internalError) = result { true } else { false }
    }
}
