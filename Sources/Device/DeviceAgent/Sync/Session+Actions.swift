import DeviceMessages
import Foundation

/// Commands that act outside of the agent's state before they are answered.
extension Session {
    /// Executes one once: that it begins is on the disk before it acts, and the answer afterwards.
    ///
    /// A repeated one gets the same answer. Nothing else is exchanged with the server meanwhile.
    func act(
        _ command: Command, by action: DeviceCommands.Known.Action, needs right: Int?, delivered: String?
    ) async throws -> Data {
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
        if let right, !commands.has(right) {
            report = commands.notPermitted(command, device.known)
        } else {
            report = try await action(self, command)
        }
        try device.change { $0.commands.record(command.uuid, report: report.encoded()) }
        return report.encoded()
    }
}
