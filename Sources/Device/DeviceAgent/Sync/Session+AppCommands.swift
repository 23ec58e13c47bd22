import DeviceMessages
import Foundation
import Logging

/// What the commands that manage apps need beside the agent's state, and others of the machine.
extension Session {
    /// The commands, with what this one needs: its manifest, that apps have handed over what they counted, or what the
    /// machine can do.
    ///
    /// Nothing of it is an effect: what an app hands over is kept, and told to the same command after a crash.
    func prepared(for command: Command) async throws -> DeviceCommands {
        var commands = commands
        let state = device.known
        guard state.commands.answer(to: command.uuid) == nil else {
            try await dropActions(beforeRepeating: command)
            return commands
        }
        if let action = MachineAction(rawValue: command.requestType) {
            commands.machine = try await readiness(for: action)
        }
        if let url = commands.manifestNeeded(by: command, state) {
            do throws(AssetRefusal) {
                commands.manifest = .here(KnownManifest(try await fetchManifest(url), serverToken: command.uuid))
            } catch {
                log.warning("a manifest cannot be had", metadata: ["why": "\(error.code): \(error.sentence)"])
                commands.manifest = .refused(error)
            }
        }
        // The answer names the apps that counted something, so the newest notes must be on the disk first.
        if command.requestType == FetchFeedback.requestType { await device.feedback.settle() }
        let apps = commands.appsToHandOver(for: command, state)
        if !apps.isEmpty { await takeFeedback(of: apps) }
        return commands
    }

    /// Whether a command may take something from an app: what no longer serves leaves the disk at once.
    func withdraws(_ command: Command) -> Bool {
        [InstallApplication.requestType, RemoveApplication.requestType, AppSettings.requestType]
            .contains(command.requestType) && device.known.commands.answer(to: command.uuid) == nil
    }

    /// The apps managed by command whose feedback waits to be read.
    func withFeedback(_ state: AgentState) -> Set<String> {
        Set(state.commanded.keys.filter { !device.feedback.known(of: $0).without(state.answeredLives).isEmpty })
    }

    /// Forgets what the answer to a command has told.
    ///
    /// The answer is on the disk before this, in another file: an agent that ends in between does it when it begins, and
    /// tells none of it by status meanwhile.
    func forgetAnsweredFeedback() {
        let lives = device.known.answeredLives
        guard !lives.isEmpty else { return }
        do {
            try device.feedback.reported(lives)
            try device.change { $0.answeredLives.subtract(lives) }
        } catch {
            log.warning("reported feedback cannot be removed yet", metadata: ["why": "\(error)"])
        }
    }
}

extension AgentState {
    /// Whether commands have changed since what is managed, or what is to be installed.
    func hasOtherCommandedApps(than before: AgentState) -> Bool {
        commanded != before.commanded || installations != before.installations
    }
}
