package import AppMessages
import Synchronization

/// Where configurations are tried: each loop that reads configurations decodes the candidate as what it reads, between
/// two configurations, and no loop ever sees it.
///
/// One is tried at a time. Any refusal is the answer, with the type that refused; else the app accepts it once every loop
/// has. A loop that is busy with its last configuration comes to it later, and not at all when the time is over.
package final class TrialRoom: Sendable {
    private struct Reader {
        let type: String
        let remind: @Sendable () -> Void
    }

    private struct Running {
        let trial: ConfigurationTrial
        let deadline: ContinuousClock.Instant
        /// Those who have not begun, and those who have not come to an end.
        var waiting: Set<Int>
        var unfinished: Set<Int>
        var isAccepted = false
    }

    private struct State {
        var readers: [Int: Reader] = [:]
        var next = 0
        var running: Running?
    }

    private let state = Mutex(State())
    private let report: @Sendable (TrialOutcome) -> Void

    /// `report` passes the outcome to the caller of the trial, and must not block.
    package init(report: @escaping @Sendable (TrialOutcome) -> Void) {
        self.report = report
    }

    /// Takes a loop that decodes as `type` into account, until its place is given up.
    package func enter(_ type: String, remind: @escaping @Sendable () -> Void) -> TrialReader {
        let number = state.withLock { state in
            defer { state.next += 1 }
            state.readers[state.next] = Reader(type: type, remind: remind)
            return state.next
        }
        return TrialReader(room: self, number: number)
    }

    /// Begins a trial, and abandons one that still runs.
    package func begin(_ trial: ConfigurationTrial) {
        let readers = state.withLock { state in
            let all = Set(state.readers.keys)
            state.running = Running(
                trial: trial, deadline: .now + .seconds(trial.seconds), waiting: all, unfinished: all)
            return state.readers.values.map(\.remind)
        }
        for remind in readers { remind() }
        finish()
    }

    /// Abandons the trial, because its caller is gone.
    package func abandon() { state.withLock { $0.running = nil } }

    fileprivate func take(_ number: Int) -> ConfigurationTrial? {
        state.withLock { state in
            guard let running = state.running, running.waiting.contains(number) else { return nil }
            guard running.deadline > .now else {
                state.running = nil
                return nil
            }
            state.running?.waiting.remove(number)
            return running.trial
        }
    }

    fileprivate func answer(_ number: Int, _ trial: ConfigurationTrial, _ refusal: DecodingRefusal?) {
        let type = state.withLock { state -> String? in
            guard state.running?.trial.identifier == trial.identifier else { return nil }
            if refusal == nil {
                state.running?.isAccepted = true
                state.running?.unfinished.remove(number)
            } else {
                state.running = nil
            }
            return state.readers[number]?.type
        }
        guard let type else { return }
        guard let refusal else { return finish() }
        report(
            TrialOutcome(
                trial: trial.identifier, verdict: .refused, code: refusal.code, message: refusal.message,
                keyPath: refusal.keyPath, keyPathSupplied: refusal.keyPathSupplied, type: type))
    }

    fileprivate func leave(_ number: Int) {
        state.withLock { state in
            state.readers[number] = nil
            state.running?.waiting.remove(number)
            state.running?.unfinished.remove(number)
        }
        finish()
    }

    /// Answers once every loop that there was has come to its end.
    private func finish() {
        let finished = state.withLock { state -> Running? in
            guard let running = state.running, running.unfinished.isEmpty else { return nil }
            state.running = nil
            return running
        }
        guard let finished else { return }
        report(
            TrialOutcome(
                trial: finished.trial.identifier, verdict: finished.isAccepted ? .accepted : .notIterating))
    }
}

/// The place of one loop among those that try configurations, for as long as it exists.
package final class TrialReader: Sendable {
    private let room: TrialRoom
    private let number: Int

    init(room: TrialRoom, number: Int) {
        self.room = room
        self.number = number
    }

    deinit { room.leave(number) }

    /// What this loop is to try now; each trial once.
    package func take() -> ConfigurationTrial? { room.take(number) }

    /// Says how it went; a second word on the same trial counts for nothing.
    package func answer(_ trial: ConfigurationTrial, _ refusal: DecodingRefusal?) {
        room.answer(number, trial, refusal)
    }
}
