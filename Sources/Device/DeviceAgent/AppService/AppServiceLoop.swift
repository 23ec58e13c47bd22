import AppMessages
import CLinux
import DeviceMessages
import Foundation
import Logging

/// What the service's one thread holds and does.
///
/// Everything here happens on that thread: messages in the inbox, calls of apps, the ends of processes.
final class AppServiceLoop {
    /// What does not change while a service runs.
    struct Context: Sendable {
        let socketPath: String
        let controlPath: String
        /// Sockets that listen already, by their paths.
        let handed: [String: Int32]
        let log: Logger
        let find: @Sendable (String) -> AppBundle?
        let program: @Sendable (String) -> AppBundle?
        /// The app that each process of this user is taken for, where its developer tries it.
        let developed: AppBundle?
        let enrollment: @Sendable (EnrollmentCall) -> Void
        let secret: @Sendable (String) throws -> SecretContent
        let signingRoom: SigningRoom
        let isEnrolled: @Sendable () -> Bool
        let absence: @Sendable () -> ServerContact.Absence?
        let apps: @Sendable (AppRequest) -> AppAnswer
        /// Looks again for an app that is not known yet, and returns the new states; nothing if it is not declared.
        let appeared: @Sendable (_ app: String) -> AppStates?
        /// Where the feedback of apps is kept.
        let feedback: FeedbackRoom?
        /// The file of certificates that managed apps trust, if there is one.
        let roots: String?
        let left: @Sendable () -> Void
        let visited: @Sendable (Set<String>) -> Void
        let now: @Sendable () -> Date
        /// Nanoseconds that never go back.
        let uptime: @Sendable () -> UInt64
        let closer: DescriptorCloser
        let reports: ReportWriter
        /// Hears which version of its configuration an app has fetched without the library.
        let handedOver: @Sendable (ConfigurationHandOver) -> Void
    }

    // An app uses two or three: one stream for each kind of thing it watches, one for calls.
    static let connectionsPerApp = 16

    /// So many connections and processes, of two files each at most, that files are left for everything else.
    let room = max(32, (Int(clinux_open_files()) - 128) / 2)

    enum Token {
        static let inbox: UInt64 = 0
        static let apps: UInt64 = 1
        static let control: UInt64 = 2
        static let requests: UInt64 = 3
        static let first: UInt64 = 4
    }

    enum Endpoint {
        case process(AppProcess)
        case app(AppConnection)
        case control(ControlConnection)
    }

    let context: Context
    let launcher: AppLauncher
    let poll: Poll
    let inbox: AppServiceInbox
    let appListener: Listener
    let controlListener: Listener
    let requestListener: Listener
    /// When those who connect are taken in again; nothing while they are.
    var doorsOpen: UInt64?
    private var nextToken = Token.first
    var endpoints: [UInt64: Endpoint] = [:]
    var processes: [Int32: UInt64] = [:]
    /// The launched processes of each cgroup, to find the process behind a new connection quickly.
    private var launchedInto: [UInt64: Set<UInt64>] = [:]
    var states: AppStates?
    var refusals = AppRefusals()

    /// Where the files of signed apps are compared that are to be opened.
    let checking = DispatchQueue(label: "apps' files")
    /// Where those of strangers' programs are, for each user; and how many programs wait for that.
    var judges: [UInt32: (queue: DispatchQueue, waiting: Int)] = [:]
    var judging = 0
    /// Where the ends of launched processes are written down.
    let recording = DispatchQueue(label: "launch records")
    /// What each user's processes may still try: of those that are apps, those that are not known, those that command, and
    /// how often a person may open an app.
    var knocks: [UInt32: Allowance] = [:]
    var strangersKnocks: [UInt32: Allowance] = [:]
    var commandKnocks: [UInt32: Allowance] = [:]
    var openings: [UInt32: Allowance] = [:]
    var commands = OpenCommands()

    /// Counts the notes of feedback: the process that wrote last is the one that is asked for it.
    var notes: UInt64 = 0

    /// The notes of apps that are on their way to the disk, and the hand-overs of what ended apps left.
    var notesUnderWay = NotesUnderWay()

    /// Counts the rounds of the loop: in each, every app has its turn.
    var turn: UInt64 = 0
    /// Connections with calls left for the next turn, and those to come back to at some time: an app that is slowed
    /// down, a challenge without an answer, a request that has waited long enough.
    var deferred: [UInt64] = []
    var alarms: [UInt64: UInt64] = [:]
    var openStrangers: [UInt32: Int] = [:]
    /// Where the apps lie that were not launched and are answered.
    var visited: Set<String> = []

    /// Configurations that apps are trying.
    var trials: [RunningTrial] = []

    /// Of this start alone.
    let salt = Data(UUID().uuidString.utf8)

    init(context: Context, launcher: AppLauncher, inbox: AppServiceInbox, known: [AppLauncher.Known]) throws {
        self.context = context
        self.launcher = launcher
        self.inbox = inbox
        poll = try Poll()
        func listener(_ path: String, takesDescriptors: Bool = false) throws -> Listener {
            try Listener(
                path: path, handed: context.handed[path], forEveryone: launcher.hasAccounts,
                takesDescriptors: takesDescriptors, closer: context.closer)
        }
        appListener = try listener(context.socketPath)
        // A command lends the app that it opens its input and outputs.
        controlListener = try listener(context.controlPath, takesDescriptors: true)
        requestListener = try listener(
            AgentPaths(directory: (context.socketPath as NSString).deletingLastPathComponent).httpSocket)
        try poll.add(inbox.event, Token.inbox)
        try poll.add(appListener.descriptor, Token.apps)
        try poll.add(controlListener.descriptor, Token.control)
        try poll.add(requestListener.descriptor, Token.requests)
        for one in known { _ = add(AppProcess(record: one.record, descriptor: one.processDescriptor)) }
    }

    /// Serves until it is told to stop.
    func run() {
        var running = true
        while running {
            turn += 1
            poll.wait(atMost: patience()) { token, readiness in
                switch token {
                case Token.inbox: running = takeInbox()
                case Token.apps: accept(at: .calls)
                case Token.requests: accept(at: .requests)
                case Token.control: accept(at: .commands)
                default: serve(token, readiness)
                }
            }
            takeTurns()
        }
        appListener.remove()
        controlListener.remove()
        requestListener.remove()
        for trial in trials { trial.answer(.untried(.ended)) }
        endpoints = [:]
        // The next service on this path begins with what is on record.
        recording.sync {}
    }

    // MARK: what the inbox brings

    private func takeInbox() -> Bool {
        let content = inbox.take()
        for launched in content.launched + content.launches.compactMap({ $0.run() }) {
            guard let process = add(AppProcess(record: launched.record, descriptor: launched.processDescriptor)) else {
                context.closer.close(launched.socket)
                continue
            }
            connect(launched.socket, of: process)
        }
        for judged in content.judged { self.judged(judged) }
        for checked in content.checked { openChecked(checked.connection, checked.seal) }
        for answer in content.answers { self.answer(answer.message, to: answer.connection) }
        if let states = content.states { take(states) }
        // After the news: what is withdrawn is not handed over any more.
        for signature in content.signatures { signed(signature.result, for: signature.connection) }
        for report in content.reports { reported(report.outcome, isKept: report.isKept, for: report.connection) }
        for note in content.notes { noted(note.reply, of: note.ticket, for: note.connection) }
        for ticket in content.taken { written(ticket) }
        if content.feedbackAsked { askForFeedback(again: true) }
        for trial in content.trials { begin(trial) }
        for refusal in content.refused { refusals.count(refusal) }
        // These come after the news, too, so that an app learns of its removal before it ends.
        for bundle in content.ended { end(bundle) }
        for question in content.questions { question() }
        return !content.stop
    }

    /// Goes by the newest states from now on, which the kernel may report only after what an app asked since.
    func takeStates() {
        if let states = inbox.takeStates() { take(states) }
    }

    func take(_ states: AppStates) {
        let before = self.states
        self.states = states
        if let before { endOthers(before, states) }
        var encoded: [String: Data] = [:]
        for (token, endpoint) in endpoints {
            switch endpoint {
            case .app(let connection): tell(connection, token, &encoded)
            // What it fetched is noted anew if it comes back.
            case .process(let process) where states[process.record.identity].version != process.fetched:
                process.fetched = nil
            default: break
            }
        }
    }

    // MARK: processes

    func add(_ process: AppProcess) -> AppProcess? {
        let token = issueToken()
        do {
            try poll.add(process.descriptor, token)
        } catch {
            context.log.error("an app cannot be watched", metadata: ["reason": "\(error)"])
            return nil
        }
        endpoints[token] = .process(process)
        processes[process.record.process] = token
        if let cgroup = process.record.cgroup { launchedInto[cgroup, default: []].insert(token) }
        return process
    }

    /// Ends what runs under the identifier of an app that is now declared for a team, and is not that team's.
    private func endOthers(_ before: AppStates, _ states: AppStates) {
        for (bundle, state) in states.apps {
            guard let team = state.team, before.apps[bundle]?.team != team else { continue }
            var others: Set<UInt64> = []
            for case .process(let process) in endpoints.values
            where process.record.identity.app == bundle && process.record.team != team && process.program == nil {
                clinux_process_signal(process.descriptor, SIGKILL)
                if let cgroup = process.record.cgroup { others.insert(cgroup) }
                context.log.notice(
                    "a running app was ended: its declaration now names another team",
                    metadata: ["app": "\(bundle)"])
            }
            launcher.endOthers(of: bundle, than: team, alsoIn: others)
        }
    }

    /// Kills an app's launched processes, whose ends come as any other; others of its are only not answered any more.
    private func end(_ bundle: String) {
        for case .process(let process) in endpoints.values where process.record.identity.app == bundle {
            if process.program == nil {
                clinux_process_signal(process.descriptor, SIGKILL)
            } else {
                for connection in process.connections { drop(connection) }
            }
        }
    }

    private func ended(_ process: AppProcess, _ token: UInt64) {
        // Before its number can be another's: by that the kernel says who wrote what lies in a socket.
        if !process.isAlive { takeLastNotes(of: process) }
        var status: Int32 = 0
        var signal: Int32 = 0
        let collected = unsafe clinux_process_collect(process.descriptor, &status, &signal)
        guard collected != 0 else { return }
        poll.remove(process.descriptor)
        endpoints[token] = nil
        if processes[process.record.process] == token { processes[process.record.process] = nil }
        if let cgroup = process.record.cgroup {
            launchedInto[cgroup]?.remove(token)
            if launchedInto[cgroup]?.isEmpty == true { launchedInto[cgroup] = nil }
        }
        for connection in process.connections { drop(connection) }
        askForFeedback()
        guard process.program == nil else { return tellVisited() }
        recording.async { [launcher, context, record = process.record] in
            do {
                try launcher.forget(record)
            } catch {
                // Harmless: the next start finds no such process and forgets it then.
                context.log.warning("an ended app stays on record", metadata: ["reason": "\(error)"])
            }
            context.left()
        }
        context.log.info("an app ended", metadata: ["app": "\(process.record.bundleIdentifier)"])
        if let waiter = process.waiter {
            finish(waiter, ControlMessages.Ended(status: collected == 1 ? status : nil, signal: signal))
        }
    }

    // MARK: connections

    /// The launched process whose connection this is, or the one that started what it is of.
    func recognize(_ peer: clinux_peer) -> (AppProcess, isMember: Bool)? {
        if let token = processes[peer.pid], case .process(let process)? = endpoints[token], process.program == nil {
            var ticks: UInt64 = 0
            // Both descriptors alive after the start time was read: number, time and peer are one process.
            guard unsafe clinux_process_start(peer.pid, &ticks) == 0, ticks == process.record.startTime,
                clinux_process_alive(peer.pidfd) == 1, process.isAlive
            else { return nil }
            return (process, false)
        }
        // What runs as the app's own user, in its own cgroup, was started by the app.
        guard let cgroup = peer.cgroup != 0 ? peer.cgroup : AppCgroups.number(of: peer.pid),
            clinux_process_alive(peer.pidfd) == 1
        else { return nil }
        let family = launchedInto[cgroup, default: []].lazy.compactMap { token -> AppProcess? in
            if case .process(let process)? = self.endpoints[token] { process } else { nil }
        }
        let living = family.filter { $0.record.user == peer.uid && $0.isAlive }
        // An update may have made an extension restricted whose older process still runs, in the same cgroup: which of
        // them started it cannot be known.
        guard let process = living.first, living.allSatisfy({ $0.record.identity == process.record.identity }) else {
            return nil
        }
        return (process, true)
    }

    /// Takes an end of a socket into service; false when there are too many.
    @discardableResult
    func connect(
        _ descriptor: Int32, of process: AppProcess, member: (number: Int32, descriptor: Int32)? = nil,
        isByNumber: Bool = false, challenge: String? = nil, speaking use: AppConnection.Use = .calls
    ) -> Bool {
        // Its end closes both.
        let connection = AppConnection(
            process: process, descriptor: descriptor, member: member, isByNumber: isByNumber, challenge: challenge,
            use: use, closer: context.closer)
        guard process.connections.count < Self.connectionsPerApp else {
            refuse(.crowded, "an app has too many connections", process)
            return false
        }
        let token = issueToken()
        guard (try? poll.add(descriptor, token)) != nil else { return false }
        process.connections.insert(token)
        if connection.speaksHTTP { process.readsWithoutLibrary = true }
        endpoints[token] = .app(connection)
        if challenge != nil { alarms[token] = now + Self.identifying }
        return true
    }

    private func serve(_ token: UInt64, _ readiness: Poll.Readiness) {
        switch endpoints[token] {
        case .process(let process): ended(process, token)
        case .app(let connection): serve(connection, token, readiness)
        case .control(let connection): serve(connection, token, readiness)
        case nil: break
        }
    }

    /// Has the kernel tell of something else than before; mostly it is the same.
    func watch(_ socket: inout SocketConnection, for readiness: Poll.Readiness, _ token: UInt64) {
        guard socket.awaited != readiness else { return }
        socket.awaited = readiness
        poll.change(
            socket.descriptor, token, reading: readiness.contains(.readable), writing: readiness.contains(.writable))
    }

    /// Ends a connection.
    func drop(_ token: UInt64) {
        switch endpoints.removeValue(forKey: token) {
        case .app(let connection):
            takeLastNotes(connection, token)
            alarms[token] = nil
            leaveTrials(token)
            connection.process.connections.remove(token)
            poll.remove(connection.socket.descriptor)
            if connection.process.program != nil, let user = connection.process.record.user { leave(user) }
            forgetIdle(connection.process)
        case .control(let connection):
            commands.remove(connection.user)
            poll.remove(connection.socket.descriptor)
        case .process, nil:
            break
        }
    }

    func issueToken() -> UInt64 {
        defer { nextToken += 1 }
        return nextToken
    }
}
