package import AppMessages
import CLinux
import Foundation

/// This process's line to the agent that started it: one stream for the configuration, one for each kind of secret that
/// is followed, each with a thread and any number of readers.
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

        /// How long an agent may take that is known to be on this device: it may have been started with the app.
        package static let agentsPatience = Duration.seconds(5)
        /// How long one may take of which nothing is known.
        package static let strangersPatience = Duration.seconds(2)

        /// An agent that can be reached in these ways; with neither, there is none.
        package init(socket: Int32?, path: String?, patience: Duration = strangersPatience) {
            self.socket = socket
            self.path = path
            self.patience = patience
        }

        static var inherited: Origin {
            let socket = clinux_inherited_agent()
            let path = unsafe clinux_inherited_agent_path().map { unsafe String(cString: $0) }
            return Origin(inherited: socket < 0 ? nil : socket, path: path)
        }

        /// The agent that left this process a connection, or a path, or both; how long it may take depends on what shows that
        /// there is one.
        package init(inherited socket: Int32?, path: String?) {
            self.init(socket: socket, path: path, patience: Self.patience(for: socket, path))
        }

        private static func patience(for socket: Int32?, _ path: String?) -> Duration {
            // It ran when it launched this process.
            guard socket == nil, let path else { return agentsPatience }
            let directory = (path as NSString).deletingLastPathComponent
            // Without a place to listen in there is none; what it has kept shows that there is.
            guard FileManager.default.fileExists(atPath: directory) else { return .zero }
            return FileManager.default.fileExists(atPath: directory + "/" + generations)
                ? agentsPatience : strangersPatience
        }

        /// Where the agent keeps what it knows; an app may see that it is there, and nothing in it.
        private static let generations = "generations"
    }

    /// How the agent can be reached.
    package let origin: Origin
    private let board = NoticeBoard(LinkSnapshot())
    private let reports: ReportSender
    private let secretWatches: [SecretKind: SecretWatch]

    /// Calls that are answered once; nil where nobody can be called.
    let calls: AgentCalls?

    /// Configurations that are tried and that no reader sees.
    let trials: TrialRoom

    /// Prepares a link; it begins with its first reader.
    package init(origin: Origin) {
        self.origin = origin
        reports = ReportSender(path: origin.path)
        let calls = origin.path.map { AgentCalls(path: $0) }
        self.calls = calls
        trials = TrialRoom { outcome in
            calls?.ask(.reportTrial(outcome), milliseconds: 2_000) { (_: Result<Varlink.Nothing, ManagedAppError>) in }
        }
        // Keys: ours.
        secretWatches = Dictionary(
            uniqueKeysWithValues: SecretKind.allCases.map { ($0, SecretWatch(of: $0, origin: origin)) })
    }

    /// What is known now; nothing before the first reader came.
    package var news: LinkSnapshot { board.news }

    /// Begins to read: what is known now, then what is new.
    package func subscribe() -> Subscription<LinkSnapshot> {
        board.subscribe {
            AgentStream.begin(following: self, origin: origin, name: "managed-app")
        }
    }

    /// Begins to read the identifiers of one kind of secret.
    package func subscribe(to kind: SecretKind) -> Subscription<SecretNews> {
        guard let watch = secretWatches[kind] else { preconditionFailure("every kind of secret has its watch") }
        return watch.subscribe()
    }

    /// Notes what a decoder said about a version, and tells the agent.
    func note(_ refusal: DecodingRefusal?, version: String) {
        board.change { snapshot in
            if snapshot.version == version { snapshot.refusal = refusal }
        }
        reports.send(
            ConfigurationOutcome(
                version: version, valid: refusal == nil, code: refusal?.code, message: refusal?.message,
                keyPath: refusal?.keyPath, keyPathSupplied: refusal?.keyPathSupplied ?? false))
    }
}

extension AgentLink: StreamFollower {
    // Without a way to answer there is no use in being asked.
    package var watching: AppCall { .watchConfiguration(trials: calls != nil) }

    package var isWaiting: Bool { board.news.standing == .waiting }

    package func told(_ news: ConfigurationState) {
        var state = news
        state.trial = nil
        var isAnother = false
        board.change { snapshot in
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
        if let trial = news.trial { trials.begin(trial) }
    }

    package func unanswered() {
        board.change { if $0.standing == .waiting { $0.standing = .unreachable } }
    }

    package func refused() {
        board.change {
            $0.isConnected = false
            // What a former agent said stays; a process that no agent knows is not managed.
            if $0.standing != .told { $0.standing = .notLaunched }
        }
    }

    package func disconnected() {
        trials.abandon()
        reports.forgetSent()
        board.change { $0.isConnected = false }
    }
}
