import DeviceMessages
import Foundation
import Logging

/// Commands that have the machine do something, once their answers are with the server.
extension Session {
    /// Whether the machine can do it, asked on a thread that may wait.
    ///
    /// Throws only where the conversation ends meanwhile: then the command is not answered.
    func readiness(for action: MachineAction) async throws -> MachineReadiness {
        guard let machine = device.machine else { return .heldBack }
        let moment = now()
        do {
            return try await DiskRoom().run { () throws -> MachineReadiness in
                if let why = machine.obstacle(to: action) { return .cannot(why) }
                return .can(boot: try machine.boot(), at: moment)
            }
        } catch let cancellation as CancellationError {
            throw cancellation
        } catch {
            log.error("the boot's number cannot be read", metadata: ["why": "\(error)"])
            return .cannot("its agent cannot tell one boot from the next")
        }
    }

    /// Drops what is not done any more, before the server is told that it will be: it hears that it was not.
    ///
    /// An agent that begins after the machine has restarted, or long after the command, still has the acknowledgement to
    /// tell.
    func dropActions() async throws {
        guard !device.known.pendingActions.isEmpty else { return }
        let (device, moment) = (self.device, now())
        try await DiskRoom().run {
            let boot = device.machine.flatMap { try? $0.boot() }
            try device.change { _ = $0.dropActions(boot: boot, now: moment) }
        }
    }

    /// Whether the answer to this command is what an action of the machine waits for.
    func isAwaited(_ command: Command) -> Bool {
        device.known.pendingActions.contains { $0.command == command.uuid }
    }
}
