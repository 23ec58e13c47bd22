import AppMessages
import CLinux
import Foundation
import Synchronization

/// This process's line to the agent that started it: one stream, one thread, any number of readers.
///
/// Nothing happens before the first reader comes. Connected and without news, the thread sleeps in one blocking read:
/// there is no timer. When the agent goes away, what it said last stays, and the thread waits for its socket to appear
/// again.
package final class AgentLink: Sendable {
    /// The link of this process, by what the agent left for it.
    package static let shared = AgentLink(origin: .inherited)

    /// How the agent can be reached.
    package struct Origin: Sendable {
        /// Our end of a connection that is open already.
        package let socket: Int32?

        /// Where the agent listens.
        package let path: String?

        /// How long the first answer may take before readers are told that there is none.
        package let patience: Duration

        /// An agent that can be reached in these ways; with neither, there is none.
        package init(socket: Int32?, path: String?, patience: Duration = .seconds(2)) {
            self.socket = socket
            self.path = path
            self.patience = patience
        }

        static var inherited: Origin {
            let socket = clinux_inherited_agent()
            let path = unsafe clinux_inherited_agent_path().map { unsafe String(cString: $0) }
            return Origin(socket: socket < 0 ? nil : socket, path: path)
        }
    }

    private struct State {
        var snapshot = LinkSnapshot()
        var readers: [Int: Mailbox] = [:]
        var nextReader = 0
        var hasBegun = false
    }

    let origin: Origin
    private let state = Mutex(State())
    private let reports: ReportSender

    /// Prepares a link; it begins with its first reader.
    package init(origin: Origin) {
        self.origin = origin
        reports = ReportSender(path: origin.path)
    }

    /// Begins to read: what is known now, then what is new.
    package func subscribe() -> Subscription {
        let (number, mailbox, begins) = state.withLock { state in
            let mailbox = Mailbox(state.snapshot)
            let number = state.nextReader
            state.nextReader += 1
            state.readers[number] = mailbox
            defer { state.hasBegun = true }
            return (number, mailbox, !state.hasBegun)
        }
        if begins { begin() }
        return Subscription(mailbox: mailbox) { [weak self] in
            self?.state.withLock { _ = $0.readers.removeValue(forKey: number) }
        }
    }

    /// Notes what a decoder said about a version, and tells the agent.
    func note(_ refusal: DecodingRefusal?, version: String) {
        change { snapshot in
            if snapshot.version == version { snapshot.refusal = refusal }
        }
        reports.send(
            ConfigurationOutcome(
                version: version, valid: refusal == nil, code: refusal?.code, message: refusal?.message,
                keyPath: refusal?.keyPath, keyPathSupplied: refusal?.keyPathSupplied ?? false))
    }

    private func begin() {
        guard origin.socket != nil || origin.path != nil else {
            return change { $0.standing = .notLaunched }
        }
        let thread = Thread { [self] in
            var stream = AgentStream(link: self, origin: origin)
            stream.run()
        }
        thread.name = "managed-app"
        thread.start()
    }

    // MARK: what the thread learns

    var isWaiting: Bool { state.withLock { $0.snapshot.standing == .waiting } }

    func told(_ state: ConfigurationState) {
        var isAnother = false
        change { snapshot in
            let former = snapshot.version
            snapshot.standing = .told
            snapshot.isConnected = true
            snapshot.state = state
            isAnother = snapshot.version != former
            if isAnother { snapshot.refusal = nil }
        }
        // A version that was taken away and comes back is judged as before, but the agent has forgotten it.
        if isAnother { reports.forgetSent(of: state.version) }
        reports.retry()
    }

    func unanswered() {
        change { if $0.standing == .waiting { $0.standing = .unreachable } }
    }

    func refused() {
        change {
            $0.isConnected = false
            // What a former agent said stays; a process that no agent knows is not managed.
            if $0.standing != .told { $0.standing = .notLaunched }
        }
    }

    func disconnected() {
        reports.forgetSent()
        change { $0.isConnected = false }
    }

    private func change(_ change: (inout LinkSnapshot) -> Void) {
        state.withLock { state in
            let former = state.snapshot
            change(&state.snapshot)
            guard state.snapshot != former else { return }
            // Posted under the lock: no reader ever gets an older snapshot after a newer one.
            for mailbox in state.readers.values { mailbox.post(state.snapshot) }
        }
    }
}
