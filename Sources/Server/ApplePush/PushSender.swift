package import Foundation
package import Logging
package import Management
import ServiceLifecycle
import Synchronization

/// Wakes Apple devices until the server stops.
///
/// Nobody waits for it. Who is to be woken stands in a bounded queue in memory; after another start all who are behind are
/// woken again.
package struct PushSender: Service {
    /// Pushes under way at most; the push service allows more in one connection.
    private static let width = 64
    /// Enrollments that are read at once.
    private static let part = 500

    private let management: Management
    private let service: PushService
    private let logger: Logger
    private let patience: Duration
    private let random: @Sendable () -> Double
    private let sleep: @Sendable (TimeInterval) async throws -> Void
    private let now: @Sendable () -> Date
    package let tally = PushTally()

    /// `random` is from 0 to 1; `sleep` waits for seconds.
    package init(
        management: Management, service: PushService, logger: Logger, patience: Duration = .seconds(20),
        random: @escaping @Sendable () -> Double = { Double.random(in: 0...1) },
        sleep: @escaping @Sendable (TimeInterval) async throws -> Void = { try await Task.sleep(for: .seconds($0)) },
        now: @escaping @Sendable () -> Date = { Date() }
    ) {
        self.management = management
        self.service = service
        self.logger = logger
        self.patience = patience
        self.random = random
        self.sleep = sleep
        self.now = now
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask { await warnOfEnd() }
                await sendWhatWaits()
                group.cancelAll()
            }
        }
    }

    private func sendWhatWaits() async {
        var line: Line?
        var pause = PushPause()
        for await _ in management.push.queue.bell.rings {
            while !Task.isCancelled, let work = management.push.queue.take(Self.part) {
                let used = line?.setup
                line = await current(line)
                guard let line else { break }
                // What the push service said of another credential does not count for this one.
                if line.setup != used { pause = PushPause() }
                do {
                    try await serve(work, over: line, &pause)
                } catch {
                    guard !Task.isCancelled else { break }
                    logger.error("waking Apple devices failed", metadata: ["error": "\(type(of: error))"])
                    // What the store could not give is looked for again.
                    management.push.queue.wakeEveryone()
                    try? await sleep(pause.failed(retryAfter: nil, random: random()))
                }
            }
            if Task.isCancelled { break }
        }
        await line?.connection.shutdown()
    }

    /// Says once an hour at most that the certificate is about to end: 60, 30 and 7 days before, and when it has.
    private func warnOfEnd() async {
        while !Task.isCancelled {
            do {
                if let warning = try await management.notePushWarning() {
                    let event = warning.days == 0 ? "the push certificate has ended" : "the push certificate ends soon"
                    logger.warning(
                        "\(event): renew it at Apple's portal with the account that made it, and upload it",
                        metadata: ["topic": "\(warning.topic)", "expires": "\(warning.expires.formatted(.iso8601))"])
                }
            } catch {
                logger.error("looking at the push certificate failed", metadata: ["error": "\(type(of: error))"])
            }
            guard (try? await Task.sleep(for: .seconds(3_600))) != nil else { return }
        }
    }

    /// A connection with the credential that is in use.
    private struct Line {
        let setup: PushSetup
        let connection: PushConnection
    }

    private func current(_ line: Line?) async -> Line? {
        guard let setup = management.push.setup else {
            await line?.connection.shutdown()
            return nil
        }
        if let line, line.setup == setup { return line }
        await line?.connection.shutdown()
        do {
            return Line(setup: setup, connection: try PushConnection(service, setup, patience: patience))
        } catch {
            logger.error(
                "the push credential cannot be used: upload it again", metadata: ["error": "\(type(of: error))"])
            return nil
        }
    }

    private func serve(_ work: PushQueue.Work, over line: Line, _ pause: inout PushPause) async throws {
        switch work {
        case .devices(let keys): try await send(management.pushTargets(keys), over: line, &pause)
        case .farewells(let targets):
            // With another credential all who are behind are looked for again. Devices that left are not among those.
            let rest = try await send(targets, over: line, &pause)
            if !rest.isEmpty { management.push.queue.sendFarewells(rest) }
        case .group(let group): try await sendToThoseBehind(inGroup: group, over: line, &pause)
        case .everyone: try await sendToThoseBehind(inGroup: nil, over: line, &pause)
        }
    }

    /// Wakes the devices of a group, or of the fleet, that have something to fetch, part by part.
    private func sendToThoseBehind(inGroup group: String?, over line: Line, _ pause: inout PushPause) async throws {
        var place = ""
        while !Task.isCancelled, management.push.setup == line.setup {
            let part = try await management.pushTargetsBehind(inGroup: group, after: place, limit: Self.part)
            guard let last = part.last else { return }
            try await send(part.behind, over: line, &pause)
            place = last
        }
    }

    /// Sends to all of these; what has to wait is tried again after a pause, while the credential stays the same.
    ///
    /// Returns those that it did not try again, because there is another credential.
    @discardableResult
    private func send(
        _ targets: [PushTarget], over line: Line, _ pause: inout PushPause
    ) async throws -> [PushTarget] {
        var rest = targets
        while !rest.isEmpty, !Task.isCancelled, management.push.setup == line.setup {
            let outcome = await sendOnce(rest, over: line.connection)
            for (target, reason) in outcome.retired where try await management.retirePushToken(target, reason: reason) {
                logger.notice(
                    "the push service refuses a device's token: the device is not woken until it sends another",
                    metadata: ["enrollment": "\(target.key)", "reason": "\(reason)"])
            }
            guard let (reason, retryAfter) = outcome.wait else {
                pause.succeeded()
                return []
            }
            let seconds = pause.failed(retryAfter: retryAfter, random: random())
            logger.warning(
                "waking Apple devices pauses",
                metadata: [
                    "reason": "\(reason)", "seconds": "\(Int(seconds.rounded(.up)))",
                    "waiting": "\(outcome.rest.count)",
                ])
            rest = outcome.rest
            try await wait(seconds, with: line.setup)
        }
        return rest
    }

    /// Waits for as long, or until an administrator uploads a credential, which may end the reason for the pause.
    private func wait(_ seconds: TimeInterval, with setup: PushSetup) async throws {
        try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { try await sleep(seconds) }
            group.addTask { await management.push.change(from: setup) }
            defer { group.cancelAll() }
            _ = try await group.next()
        }
    }

    private struct SendOutcome {
        var retired: [(PushTarget, String)] = []
        /// To be tried again.
        var rest: [PushTarget] = []
        /// Why, and for how long the push service asks to wait.
        var wait: (reason: String, retryAfter: TimeInterval?)?
    }

    /// Sends once to each, until one has to wait: then the others that were not begun wait with it.
    private func sendOnce(_ targets: [PushTarget], over connection: PushConnection) async -> SendOutcome {
        await withTaskGroup(of: (PushTarget, PushAnswer).self) { group in
            var outcome = SendOutcome()
            var next = targets.startIndex
            func begin() {
                let target = targets[next]
                next += 1
                group.addTask { (target, await connection.send(target, now: now())) }
            }
            while next < targets.endIndex, next < Self.width { begin() }
            for await (target, answer) in group {
                tally.count(answer)
                switch answer {
                case .accepted: break
                case .retired(let reason): outcome.retired.append((target, reason))
                case .refused(let reason):
                    logger.warning(
                        "a push is refused", metadata: ["enrollment": "\(target.key)", "reason": "\(reason)"])
                case .later(let reason, let retryAfter):
                    outcome.rest.append(target)
                    outcome.wait = (reason, max(retryAfter ?? 0, outcome.wait?.retryAfter ?? 0))
                case .credentialRefused(let reason):
                    outcome.rest.append(target)
                    outcome.wait = ("the push service refuses the credential: \(reason)", 300)
                }
                if outcome.wait == nil, next < targets.endIndex { begin() }
            }
            outcome.rest += targets[next...]
            return outcome
        }
    }
}
