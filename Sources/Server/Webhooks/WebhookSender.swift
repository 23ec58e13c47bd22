import Foundation
package import Logging
package import Management
import ServiceLifecycle
import Synchronization

/// Sends what waits for webhooks, each by itself and in its order, until the server ends.
///
/// Nobody waits for it: what is to be sent stands in the audit log, and stays there until it was delivered.
package struct WebhookSender: Service {
    private let management: Management
    private let post: WebhookPost
    private let logger: Logger
    private let desk = Desk()
    package let tally = WebhookTally()

    package init(management: Management, post: WebhookPost, logger: Logger) {
        self.management = management
        self.post = post
        self.logger = logger
    }

    package func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask { await ringWhenDue() }
                for await _ in management.webhookBell.rings {
                    guard !Task.isCancelled else { break }
                    for number in await dueWebhooks() where desk.begin(number) {
                        group.addTask { await serve(number) }
                    }
                }
                group.cancelAll()
            }
        }
        await post.shutdown()
    }

    private func dueWebhooks() async -> [Int] {
        do {
            let due = try await management.dueWebhooks()
            desk.setAlarm(due.wait.map { .now + .seconds($0) })
            await post.keep(only: Set(due.present))
            return due.numbers
        } catch {
            note(error)
            return []
        }
    }

    /// Sends one after the other until there is nothing now.
    private func serve(_ number: Int) async {
        do {
            while !Task.isCancelled, let request = try await management.nextWebhookRequest(for: number) {
                let answer = await post.send(request)
                // What was interrupted by our own end is sent again.
                guard !Task.isCancelled else { break }
                try await management.settle(request, answer)
                tally.count(answer)
                if let text = WebhookCourse.text(of: answer) {
                    logger.notice(
                        "webhook not delivered", metadata: ["webhook": "\(request.work.name)", "rule": "\(text)"])
                }
            }
        } catch {
            note(error)
        }
        if desk.end(number) { management.webhookBell.ring() }
        // When it is tried again is known only now.
        if !Task.isCancelled { _ = await alarm() }
    }

    private func alarm() async {
        if let wait = try? await management.dueWebhooks().wait { desk.setAlarm(.now + .seconds(wait)) }
    }

    private func ringWhenDue() async {
        while (try? await Task.sleep(for: .seconds(1))) != nil {
            if desk.takeAlarm(.now) { management.webhookBell.ring() }
        }
    }

    /// What waits is looked for again once a minute.
    private func note(_ error: any Error) {
        guard !(error is CancellationError) else { return }
        logger.error("sending to webhooks failed", metadata: ["error": "\(type(of: error))"])
    }
}

/// Which webhooks are being served, and when somebody has to look again.
private final class Desk: Sendable {
    private struct State {
        var busy: Set<Int> = []
        /// Those for which somebody rang meanwhile.
        var again: Set<Int> = []
        var alarm: ContinuousClock.Instant?
    }

    private let state = Mutex(State())

    func begin(_ number: Int) -> Bool {
        state.withLock { state in
            guard state.busy.insert(number).inserted else {
                state.again.insert(number)
                return false
            }
            return true
        }
    }

    /// Whether there may be more.
    func end(_ number: Int) -> Bool {
        state.withLock { state in
            state.busy.remove(number)
            return state.again.remove(number) != nil
        }
    }

    func setAlarm(_ time: ContinuousClock.Instant?) {
        state.withLock { state in
            guard let time else { return }
            state.alarm = state.alarm.map { min($0, time) } ?? time
        }
    }

    func takeAlarm(_ now: ContinuousClock.Instant) -> Bool {
        state.withLock { state in
            guard let time = state.alarm, time <= now else { return false }
            state.alarm = nil
            return true
        }
    }
}
