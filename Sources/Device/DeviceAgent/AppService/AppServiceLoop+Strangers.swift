import AppMessages
import CLinux
import Foundation
import Logging

/// Connections of processes that the agent did not launch.
///
/// One that runs an installed app's program from where that lies, signed by a team that is known, is that app, and trusted less than a launched
/// one: whoever started it may have put code into it. Before it is told anything it has to answer a challenge that it
/// gets after its program was looked at, since its connection may be older than the program that it has become.
extension AppServiceLoop {
    /// What one user's processes may have open at once without having been launched.
    static let strangersPerUser = 32
    /// How many programs wait at once to be compared; each takes as long as it takes to read an app once.
    static let mostJudged = 64
    /// How long a process may take to answer the challenge.
    static let identifying: UInt64 = 10_000_000_000

    /// A connection whose program is being compared.
    struct Judged: Sendable {
        let descriptor: Int32
        let peer: clinux_peer
        /// What its process runs; nothing where it has ended, or can be named by others.
        let program: RunningProgram?
        /// The signed app whose program lies there, if one's does.
        let bundle: AppBundle?
        let seal: AppSeal?
    }

    /// Takes in what is not known, if it speaks what can be asked who it is, and has not tried too often.
    func greet(_ descriptor: Int32, _ peer: clinux_peer, speaking use: AppConnection.Use) {
        guard mayTry(peer.uid, &strangersKnocks, Self.strangersPace) else {
            return turnAway(descriptor, peer, .hasty, "a user's processes try too often", speaking: nil)
        }
        if let app = context.developed { return welcome(descriptor, peer, as: app, speaking: use) }
        // HTTP has no way to answer a challenge, so it serves only processes that need none, on every kernel.
        guard case .calls = use else {
            return turnAway(
                descriptor, peer, .stranger, "a process that was not launched as an app was refused", speaking: use)
        }
        judge(descriptor, peer)
    }

    /// Has the program looked at and compared, on another thread, if it can be somebody's.
    private func judge(_ descriptor: Int32, _ peer: clinux_peer) {
        guard judging < Self.mostJudged, openStrangers[peer.uid, default: 0] < Self.strangersPerUser else {
            return turnAway(descriptor, peer, .crowded, "a user has too many connections of apps not launched here")
        }
        judging += 1
        openStrangers[peer.uid, default: 0] += 1
        let seals = launcher.seals
        // What one user's programs take keeps neither those of others waiting nor what a person opens.
        let queue = judges[peer.uid]?.queue ?? DispatchQueue(label: "strangers' programs")
        judges[peer.uid] = (queue, (judges[peer.uid]?.waiting ?? 0) + 1)
        queue.async { [inbox, context] in
            let program = RunningProgram(of: peer)
            let bundle = program.flatMap { context.program($0.path) }
                .flatMap { AppSeals.isSigned($0.directory) ? $0 : nil }
            // An app whose files are not those that were signed has no program to be compared with.
            let seal = bundle.flatMap { try? seals.check($0) }
            inbox.judged(Judged(descriptor: descriptor, peer: peer, program: program, bundle: bundle, seal: seal))
        }
    }

    /// Goes on with a connection once its app's files have been compared.
    func judged(_ judged: Judged) {
        judging -= 1
        let peer = judged.peer
        if let judge = judges[peer.uid] {
            judges[peer.uid] = judge.waiting > 1 ? (judge.queue, judge.waiting - 1) : nil
        }
        guard let program = judged.program, let bundle = judged.bundle else {
            leave(peer.uid)
            return turnAway(judged.descriptor, peer, .stranger, "a process that was not launched as an app was refused")
        }
        guard let seal = judged.seal else {
            leave(peer.uid)
            return turnAway(judged.descriptor, peer, .tampered, "a signed app's files are not those that were signed")
        }
        guard seal.team != nil, seal.program == program.identity,
            program.isStillRun(by: peer.pid, descriptor: peer.pidfd, as: peer.uid)
        else {
            leave(peer.uid)
            return turnAway(judged.descriptor, peer, .stranger, "a process that was not launched as an app was refused")
        }
        guard let process = strangerProcess(judged, program, bundle, seal) else {
            leave(peer.uid)
            context.closer.close(judged.descriptor)
            return
        }
        guard connect(judged.descriptor, of: process, challenge: Self.challenge()) else {
            leave(peer.uid)
            return forgetIdle(process)
        }
    }

    /// The process of a stranger that has a connection already, or from now on.
    private func strangerProcess(
        _ judged: Judged, _ program: RunningProgram, _ bundle: AppBundle, _ seal: AppSeal
    ) -> AppProcess? {
        let peer = judged.peer
        if let token = processes[peer.pid], case .process(let process)? = endpoints[token],
            process.program == program, process.isAlive
        {
            close(peer.pidfd)
            return process
        }
        let record = LaunchRecord(
            bundleIdentifier: bundle.identifier, role: bundle.role, process: peer.pid,
            startTime: program.startTime, boot: "", user: peer.uid, directory: bundle.directory, team: seal.team)
        let process = add(AppProcess(record: record, descriptor: peer.pidfd, program: program))
        tellVisited()
        return process
    }

    /// Says where they lie: as what was launched, they keep the version that they run.
    func tellVisited() {
        var now: Set<String> = []
        for case .process(let process) in endpoints.values where process.program != nil {
            if let directory = process.record.directory { now.insert(directory) }
        }
        guard now != visited else { return }
        visited = now
        context.visited(now)
    }

    /// Forgets a process that was not launched once it has no connection.
    func forgetIdle(_ process: AppProcess) {
        guard process.program != nil, process.connections.isEmpty,
            let token = processes.removeValue(forKey: process.record.process)
        else { return }
        poll.remove(process.descriptor)
        endpoints[token] = nil
        tellVisited()
    }

    /// One connection fewer of those that were not launched.
    func leave(_ user: UInt32) {
        let left = openStrangers[user, default: 1] - 1
        openStrangers[user] = left == 0 ? nil : left
    }

    /// What a connection may ask before it has answered its challenge: nothing but that.
    func identify(_ call: VarlinkCall, _ connection: AppConnection, _ challenge: String, _ token: UInt64)
        throws(VarlinkError) -> Data
    {
        guard case .identify(let answer)? = try? AppCall(call) else { throw .identificationNeeded(challenge) }
        guard answer.utf8.elementsEqual(challenge.utf8) else {
            refuse(.challenge, "an app not launched here gave a wrong answer", connection.process)
            throw .permissionDenied
        }
        connection.challenge = nil
        alarms[token] = nil
        return Varlink.reply(Varlink.Nothing())
    }

    /// Says in the caller's language, or not at all, that nobody here knows it, and hangs up.
    ///
    /// The process's descriptor is closed as well.
    func turnAway(
        _ descriptor: Int32, _ peer: clinux_peer?, _ refusal: AppRefusal, _ reason: Logger.Message,
        speaking use: AppConnection.Use? = .calls
    ) {
        refuse(refusal, reason)
        if let use {
            let reply =
                if case .requests = use { HTTPReply.stranger.encoded() } else {
                    Varlink.reply(VarlinkError.permissionDenied)
                }
            _ = unsafe reply.withUnsafeBytes { bytes in
                unsafe bytes.baseAddress.map { unsafe clinux_send(descriptor, $0, bytes.count) }
            }
        }
        context.closer.close(descriptor)
        if let peer { close(peer.pidfd) }
    }

    /// Counts a refusal, and writes it down unless too many have been.
    func refuse(_ refusal: AppRefusal, _ words: Logger.Message, _ process: AppProcess? = nil) {
        guard refusals.add(refusal, at: now) else { return }
        context.log.notice(words, metadata: process.map { ["app": "\($0.record.bundleIdentifier)"] })
    }

    static func challenge() -> String {
        var random = SystemRandomNumberGenerator()
        return String(random.next(), radix: 36) + "-" + String(random.next(), radix: 36)
    }
}
