import AppMessages
import DeviceMessages
import Foundation
import Synchronization

/// How long a trial may take.
package enum TrialTime {
    /// Twice what the library gives a decoder.
    package static let seconds = 10
}

/// One who waits for a trial: what comes first, a verdict or the end of waiting, is the answer.
final class TrialWait: Sendable {
    private enum State {
        case idle
        case waiting(CheckedContinuation<TrialVerdict, Never>)
        case ended(TrialVerdict)
    }

    private let state = Mutex(State.idle)

    func begin(_ done: CheckedContinuation<TrialVerdict, Never>) {
        let early = state.withLock { state -> TrialVerdict? in
            if case .ended(let verdict) = state { return verdict }
            state = .waiting(done)
            return nil
        }
        if let early { done.resume(returning: early) }
    }

    func end(_ verdict: TrialVerdict) {
        let done = state.withLock { state -> CheckedContinuation<TrialVerdict, Never>? in
            defer { state = .ended(verdict) }
            guard case .waiting(let done) = state else { return nil }
            return done
        }
        done?.resume(returning: verdict)
    }
}

/// Trials: an app decodes a configuration that it does not have, and says how that went.
///
/// The candidate goes only where the configuration itself would: on the streams of what was recognized as the app. It is in
/// memory alone, here and there.
extension AppServiceLoop {
    /// What is asked of the service's thread; `answer` is called once.
    struct TrialOrder: Sendable {
        let trial: TryConfiguration
        let seconds: Int
        let answer: @Sendable (TrialVerdict) -> Void
    }

    /// One trial, and whose word is still missing.
    struct RunningTrial {
        /// The connections that were sent the candidate, each by the name that its trial has.
        var waiting: [String: UInt64]
        var verdicts: [TrialVerdict]
        let deadline: UInt64
        let answer: @Sendable (TrialVerdict) -> Void
    }

    func begin(_ order: TrialOrder) {
        var trial = RunningTrial(
            waiting: [:], verdicts: [], deadline: now + UInt64(order.seconds) * 1_000_000_000, answer: order.answer)
        for token in processes.values {
            guard case .process(let process)? = endpoints[token], order.trial.isMeant(process.record.identity),
                process.isAlive
            else { continue }
            if let obstacle = obstacle(to: process.record.identity) {
                trial.verdicts.append(.untried(obstacle))
                continue
            }
            let streams = process.connections.filter { triesConfigurations($0) }
            if streams.isEmpty { trial.verdicts.append(.untried(process.whyItTriesNothing(self))) }
            for token in streams { trial.waiting[UUID().uuidString] = token }
        }
        guard !trial.waiting.isEmpty else { return order.answer(.combined(trial.verdicts)) }
        trials.append(trial)
        var none: [String: Data] = [:]
        for (name, token) in trial.waiting {
            guard case .app(let connection)? = endpoints[token] else { continue }
            connection.trial = ConfigurationTrial(
                identifier: name, configuration: order.trial.configuration, seconds: order.seconds)
            tell(connection, token, &none)
        }
    }

    /// Takes an app's answer, and ignores one that comes too late or from another process.
    func hear(_ outcome: TrialOutcome, from process: AppProcess) {
        guard let index = trials.firstIndex(where: { $0.waiting[outcome.trial] != nil }),
            let token = trials[index].waiting[outcome.trial], process.connections.contains(token)
        else { return }
        trials[index].waiting[outcome.trial] = nil
        trials[index].verdicts.append(TrialVerdict(outcome))
        finishTrials()
    }

    /// A connection is gone, and with it what it tried.
    func leaveTrials(_ token: UInt64) {
        guard !trials.isEmpty else { return }
        for index in trials.indices {
            for (name, waiting) in trials[index].waiting where waiting == token {
                trials[index].waiting[name] = nil
                trials[index].verdicts.append(.untried(.ended))
            }
        }
        finishTrials()
    }

    func endLateTrials() {
        let now = now
        for index in trials.indices where trials[index].deadline <= now {
            trials[index].verdicts += trials[index].waiting.map { _ in .untried(.timedOut) }
            for token in trials[index].waiting.values {
                // What could not even be handed over is not tried afterwards.
                if case .app(let connection)? = endpoints[token] { connection.trial = nil }
            }
            trials[index].waiting = [:]
        }
        finishTrials()
    }

    /// Answers the trials in which everybody has been heard.
    private func finishTrials() {
        let finished = trials.filter(\.waiting.isEmpty)
        trials.removeAll(where: \.waiting.isEmpty)
        for trial in finished { trial.answer(.combined(trial.verdicts)) }
    }

    private func obstacle(to identity: AppIdentity) -> TrialObstacle? {
        guard let states, states[identity].managed else { return .notManaged }
        return states.isShutOut(identity) ? .needsFullAccess : nil
    }

    private func triesConfigurations(_ token: UInt64) -> Bool {
        guard case .app(let connection)? = endpoints[token], case .configuration(_, true) = connection.use else {
            return false
        }
        return true
    }
}

extension AppProcess {
    /// Why nothing in it tries configurations: because it reads them in its own way, or not at all.
    fileprivate func whyItTriesNothing(_ loop: AppServiceLoop) -> TrialObstacle {
        let watches = connections.contains { token in
            guard case .app(let connection)? = loop.endpoints[token], case .configuration = connection.use else {
                return false
            }
            return true
        }
        return watches || readsWithoutLibrary || record.files != nil ? .unsupported : .notIterating
    }
}

extension TryConfiguration {
    fileprivate func isMeant(_ identity: AppIdentity) -> Bool {
        identity.app == app && identity.extensionName?.identifier == self.extension
    }
}

extension TrialVerdict {
    fileprivate init(_ outcome: TrialOutcome) {
        switch outcome.verdict {
        case .accepted: self = .accepted
        case .notIterating: self = .untried(.notIterating)
        case .refused:
            self = .refused(
                TrialRefusal(
                    code: outcome.code ?? 0, message: outcome.message, keyPath: outcome.keyPath,
                    keyPathSupplied: outcome.keyPathSupplied, type: outcome.type))
        }
    }
}
