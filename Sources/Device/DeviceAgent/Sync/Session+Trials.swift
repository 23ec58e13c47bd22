import AppPackages
package import DeviceMessages
import Foundation
import Logging

/// Has a running app try a configuration.
package typealias ConfigurationAttempt = @Sendable (TryConfiguration) async -> TrialVerdict

/// Commands that have an app try a configuration: unlike all others they act outside of the device's state.
extension Session {
    /// Executes one once: that it begins is on the disk before the app hears of it, the candidate never is.
    ///
    /// Nothing else is exchanged with the server meanwhile; the app has only so much time.
    mutating func attempt(_ command: Command, delivered: String?) async throws -> Data {
        let commands = commands
        let known = try device.change { state -> Data? in
            if let delivered { state.commands.delivered(delivered) }
            if let report = state.commands.answer(to: command.uuid) { return report }
            // What an agent that ends meanwhile has to say afterwards.
            state.commands.record(command.uuid, report: commands.interrupted(command, state).encoded())
            return nil
        }
        if let known { return known }
        let report: CommandReport
        switch commands.trial(command, device.known) {
        case .failure(let refusal): report = refusal.report
        case .success(let trial):
            let obstacle = try device.obstacle(to: trial, now: now())
            let verdict = if let obstacle { TrialVerdict.untried(obstacle) } else { await attempt(trial) }
            log.info("an app tried a configuration", metadata: ["app": "\(trial.app)"])
            report = commands.report(of: verdict, command, device.known)
        }
        try device.change { $0.commands.record(command.uuid, report: report.encoded()) }
        return report.encoded()
    }
}

extension Device {
    /// What of the device's own stands against a trial.
    ///
    /// Of an app that it does not manage the server does not learn whether it is here.
    func obstacle(to trial: TryConfiguration, now: Date) throws -> TrialObstacle? {
        guard known.managed[trial.app] != nil else { return .notManaged }
        guard let app = apps().first(where: { $0.identifier == trial.app }) else { return .notInstalled }
        // Here, and not as what is declared: an optional app that nobody has asked for, or another of its name.
        guard try states(now: now).apps[trial.app] != nil else { return .notManaged }
        guard let name = trial.extension else { return nil }
        return app.extensions.contains { $0.identifier == name } ? nil : .notInstalled
    }
}
