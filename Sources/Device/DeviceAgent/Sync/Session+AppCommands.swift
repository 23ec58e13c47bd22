import DeviceMessages
import Foundation
import Logging

/// What commands need beside the agent's state, and what those that manage apps leave to do.
extension Session {
    /// The commands, with what this one needs.
    ///
    /// Nothing of it is an effect: what an app hands over is kept, and told to the same command after a crash.
    func prepared(for command: Command) async throws -> DeviceCommands {
        var commands = commands
        guard device.known.commands.answer(to: command.uuid) == nil else {
            try await dropActions(beforeRepeating: command)
            return commands
        }
        if let known = DeviceCommands.command(of: command.requestType) {
            try await known.prepare(self, command, &commands)
        }
        return commands
    }

    /// The manifest that an installation names; nothing if it names none.
    func manifest(for command: Command) async -> ManifestResult? {
        guard let url = commands.manifestNeeded(by: command, device.known) else { return nil }
        do throws(AssetRefusal) {
            return .here(KnownManifest(try await fetchManifest(url), serverToken: command.uuid))
        } catch {
            noteManifest(error)
            return .refused(error)
        }
    }

    /// Has the apps hand over what they counted of which the answer to a command is to tell.
    func takeFeedback(for command: Command) async {
        let apps = commands.appsToHandOver(for: command, device.known)
        if !apps.isEmpty { await takeFeedback(of: apps) }
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
