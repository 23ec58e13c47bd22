import AppPackages
package import DeviceMessages
import Foundation
import InputBounds
import Logging

/// Has a running app try a configuration.
package typealias ConfigurationAttempt = @Sendable (TryConfiguration) async -> TrialVerdict

/// The command that has an app try a configuration.
extension Session {
    /// Has the app try what the command brings, and answers what came of it; the candidate is never on the disk.
    ///
    /// The app has only so much time: until then the server waits for the answer.
    func tryConfiguration(_ command: Command) async throws -> CommandReport {
        guard let trial = try? TryConfiguration(command.request) else {
            return commands.malformed(command, device.known)
        }
        let obstacle = try device.obstacle(to: trial, now: now())
        let verdict = if let obstacle { TrialVerdict.untried(obstacle) } else { await attempt(trial) }
        log.info("an app tried a configuration", metadata: ["app": "\(trial.app)"])
        return commands.acknowledged(command, device.known, verdict.contents.dictionary ?? [:])
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
