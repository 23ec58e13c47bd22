import AppMessages
import CLinux
import DeviceMessages
import Foundation
import Synchronization

/// What other threads leave for the service's thread; of several states only the newest is kept.
final class AppServiceInbox: Sendable {
    struct Content: Sendable {
        var states: AppStates?
        var launched: [AppLauncher.Launched] = []
        var launches: [LaunchOrder] = []
        var answers: [(connection: UInt64, message: Data)] = []
        var signatures: [(connection: UInt64, result: Result<Data, VarlinkError>)] = []
        var reports: [(connection: UInt64, outcome: ConfigurationOutcome, isKept: Bool)] = []
        var notes: [(connection: UInt64, ticket: NotesUnderWay.Ticket, reply: Data)] = []
        var taken: [NotesUnderWay.Ticket] = []
        var feedbackAsked = false
        var ended: [String] = []
        var refused: [AppRefusal] = []
        var questions: [@Sendable () -> Void] = []
        var judged: [AppServiceLoop.Judged] = []
        var checked: [(connection: UInt64, seal: Result<AppSeal?, SealRefusal>)] = []
        var trials: [AppServiceLoop.TrialOrder] = []
        var stop = false
    }

    /// Becomes readable when something was left.
    let event: Int32
    private let content = Mutex(Content())

    private let closer: DescriptorCloser

    init(closer: DescriptorCloser) {
        self.closer = closer
        event = clinux_event_create()
        precondition(event >= 0, "this process has no descriptors left")
    }

    deinit {
        let left = content.withLock { $0 }
        for launched in left.launched {
            closer.close(launched.socket)
            close(launched.processDescriptor)
        }
        for trial in left.trials { trial.answer(.untried(.ended)) }
        for judged in left.judged {
            closer.close(judged.descriptor)
            close(judged.peer.pidfd)
        }
        close(event)
    }

    func update(_ states: AppStates) { leave { $0.states = states } }

    func adopt(_ launched: AppLauncher.Launched) { leave { $0.launched.append(launched) } }

    func launch(_ order: LaunchOrder) { leave { $0.launches.append(order) } }

    func answer(_ message: Data, to connection: UInt64) { leave { $0.answers.append((connection, message)) } }

    func signed(_ result: Result<Data, VarlinkError>, for connection: UInt64) {
        leave { $0.signatures.append((connection, result)) }
    }

    func reported(_ outcome: ConfigurationOutcome, isKept: Bool, for connection: UInt64) {
        leave { $0.reports.append((connection, outcome, isKept)) }
    }

    /// A note of an app's feedback is written down, or is not.
    func noted(_ reply: Data, of ticket: NotesUnderWay.Ticket, for connection: UInt64) {
        leave { $0.notes.append((connection, ticket, reply)) }
    }

    /// What apps that run no more had left is taken, or could not be.
    func taken(_ tickets: [NotesUnderWay.Ticket]) { leave { $0.taken += tickets } }

    /// Apps are to hand their feedback over.
    func feedbackAsked() { leave { $0.feedbackAsked = true } }

    func end(_ bundleIdentifier: String) { leave { $0.ended.append(bundleIdentifier) } }

    func count(_ refusal: AppRefusal) { leave { $0.refused.append(refusal) } }

    func judged(_ judged: AppServiceLoop.Judged) { leave { $0.judged.append(judged) } }

    func checked(_ seal: Result<AppSeal?, SealRefusal>, for connection: UInt64) {
        leave { $0.checked.append((connection, seal)) }
    }

    func ask(_ question: @escaping @Sendable () -> Void) { leave { $0.questions.append(question) } }

    func attempt(_ trial: AppServiceLoop.TrialOrder) { leave { $0.trials.append(trial) } }

    func stop() { leave { $0.stop = true } }

    func take() -> Content {
        clinux_event_clear(event)
        return content.withLock { content in
            defer { content = Content() }
            return content
        }
    }

    /// The states that were left, ahead of everything else.
    func takeStates() -> AppStates? {
        content.withLock { content in
            defer { content.states = nil }
            return content.states
        }
    }

    private func leave(_ change: (inout Content) -> Void) {
        content.withLock { change(&$0) }
        clinux_event_signal(event)
    }
}
