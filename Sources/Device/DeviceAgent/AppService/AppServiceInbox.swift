import AppMessages
import CLinux
import Foundation
import Synchronization

/// What every app is to be told.
struct AppStates: Sendable {
    let apps: [String: AppState]
    let others: AppState

    /// The team that must have signed an app to be the one that is meant, if one must.
    func team(of bundleIdentifier: String) -> String? { apps[bundleIdentifier]?.team }

    /// What a process is told: one whose team is not the one that is meant only borrows the identifier.
    subscript(_ process: AppProcess) -> AppState {
        self[process.record.bundleIdentifier, signedBy: process.record.team]
    }

    /// What an app is told that this team has signed, or none.
    subscript(_ bundleIdentifier: String, signedBy team: String?) -> AppState {
        let state = apps[bundleIdentifier] ?? others
        return state.team == nil || state.team == team ? state : others
    }
}

/// What other threads leave for the service's thread; of several states only the newest is kept.
final class AppServiceInbox: Sendable {
    struct Content: Sendable {
        var states: AppStates?
        var launched: [AppLauncher.Launched] = []
        var answers: [(connection: UInt64, message: Data)] = []
        var signatures: [(connection: UInt64, result: Result<Data, VarlinkError>)] = []
        var ended: [String] = []
        var questions: [@Sendable () -> Void] = []
        var judged: [AppServiceLoop.Judged] = []
        var checked: [UInt64] = []
        var stop = false
    }

    /// Becomes readable when something was left.
    let event: Int32
    private let content = Mutex(Content())

    init() {
        event = clinux_event_create()
        precondition(event >= 0, "this process has no descriptors left")
    }

    deinit {
        let left = content.withLock { $0 }
        for launched in left.launched {
            close(launched.socket)
            close(launched.processDescriptor)
        }
        for judged in left.judged {
            close(judged.descriptor)
            close(judged.peer.pidfd)
        }
        close(event)
    }

    func update(_ states: AppStates) { leave { $0.states = states } }

    func adopt(_ launched: AppLauncher.Launched) { leave { $0.launched.append(launched) } }

    func answer(_ message: Data, to connection: UInt64) { leave { $0.answers.append((connection, message)) } }

    func signed(_ result: Result<Data, VarlinkError>, for connection: UInt64) {
        leave { $0.signatures.append((connection, result)) }
    }

    func end(_ bundleIdentifier: String) { leave { $0.ended.append(bundleIdentifier) } }

    func judged(_ judged: AppServiceLoop.Judged) { leave { $0.judged.append(judged) } }

    func checked(_ connection: UInt64) { leave { $0.checked.append(connection) } }

    func ask(_ question: @escaping @Sendable () -> Void) { leave { $0.questions.append(question) } }

    func stop() { leave { $0.stop = true } }

    func take() -> Content {
        clinux_event_clear(event)
        return content.withLock { content in
            defer { content = Content() }
            return content
        }
    }

    private func leave(_ change: (inout Content) -> Void) {
        content.withLock { change(&$0) }
        clinux_event_signal(event)
    }
}
