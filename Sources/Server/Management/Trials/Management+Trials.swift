import DeviceMessages
package import Foundation
import InputBounds

/// Trials: an app on one device decodes a configuration before anybody is given it.
extension Management {
    /// Sends a configuration to be tried, and what the app's specifications say about it.
    ///
    /// The device's own values are filled in as they would be for an assignment. The candidate is kept until the device has
    /// answered or the time is over, and never longer.
    package func beginTrial(
        _ bytes: Data, by subject: TrialSubject, on device: String, within seconds: Int, author: String
    ) async throws -> Outcome<(trial: Trial, judgement: SpecificationJudgement), AdminRefusal> {
        guard TrialLimits.patience.contains(seconds) else {
            return .refused(.invalid(rule: "A trial is waited for between 1 second and 10 minutes."))
        }
        let root: PropertyListValue
        switch Self.judge(bytes) {
        case .refused(let refusal): return .refused(refusal)
        case .accepted(let judged): root = judged.root
        }
        guard try await store.app(subject.app) != nil else { return .refused(.unknownApp) }
        guard let sources = try await store.valueSources(of: device, secrets: []) else {
            return .refused(.unknownDevice)
        }
        let judgement = try await judge(root, of: subject.app, for: nil)
        guard try await triesConfigurations(device) else {
            return .accepted((Trial(state: .unsupportedDevice), judgement))
        }
        let candidate: Data
        do {
            switch try ConfigurationTemplate.judge(root)?.filled(DeviceVariables(sources).values) {
            case nil: candidate = bytes
            case .bytes(let filled): candidate = filled
            case .missing(let names): return .accepted((Trial(state: .missingValues(names)), judgement))
            case .tooLarge: return .refused(.tooLarge(limit: ConfigurationLimits.bytes))
            }
        } catch {
            return .refused(error)
        }
        let command = try command(
            TryConfiguration(app: subject.app, extension: subject.extension, configuration: candidate),
            within: seconds, author: author)
        let queued = try await store.enqueueTrial(
            command, of: subject, for: device, limit: CommandLimits.openTrials)
        contexts.forget(device)
        if queued.value != nil { wakeHub.wake(device) }
        return queued.map { (Trial($0, now: moment), judgement) }
    }

    /// Where a trial stands; a refusal comes with what the app publishes about it.
    package func trial(_ uuid: String, by subject: TrialSubject, on device: String) async throws -> Trial? {
        guard let command = try await store.command(uuid, of: device),
            command.requestType == TryConfiguration.requestType
        else { return nil }
        if command.state.isOpen, let expires = command.expires, expires <= moment { try await expireCommands() }
        var trial = Trial(command, now: moment)
        if case .ended(.refused(let refusal)) = trial.state {
            trial.explanation = try await explanation(of: refusal.code, by: subject, on: device)
        }
        return trial
    }

    /// Takes back the commands whose time is over, and forgets what was in them.
    package func expireCommands() async throws {
        for device in try await store.expireCommands(now: moment) { contexts.forget(device) }
    }

    private func triesConfigurations(_ device: String) async throws -> Bool {
        guard let value = try await reported(ClientCapabilities.name, by: device) else { return false }
        return (try? ClientCapabilities(value))?.triesConfigurations ?? false
    }

    private func command(
        _ trial: TryConfiguration, within seconds: Int, author: String
    ) throws -> QueuedCommand {
        let uuid = commandUUID()
        return QueuedCommand(
            uuid: uuid, requestType: TryConfiguration.requestType,
            document: try Command(uuid: uuid, request: trial.request).encoded(), state: .queued, deferred: false,
            author: author, created: moment, sent: nil, finished: nil, result: nil, resultTooLarge: false,
            // Kept in whole seconds: not a moment less than was asked for.
            expires: moment.addingTimeInterval(TimeInterval(seconds) + 1))
    }
}
