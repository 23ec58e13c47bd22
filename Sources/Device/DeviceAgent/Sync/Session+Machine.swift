import DeviceMessages
import Foundation
import Logging
import Synchronization

/// Commands that restart the machine or shut it down.
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

    /// Drops actions that are done or too late, before the agent sends their acknowledgements; returns answers to send
    /// instead.
    ///
    /// An agent that starts after a restart, or long after the command, may still have an acknowledgement to send. It
    /// sends an error in its place. If the disk does not take the change, the conversation goes on all the same,
    /// because the server may have released the device. The result then holds the errors to send in place of the
    /// answers on record, by command.
    func dropActions() async throws -> [String: Data] {
        guard !device.known.pendingActions.isEmpty else { return [:] }
        let (device, moment, log) = (self.device, now(), self.log)
        return try await DiskRoom().run { () throws -> [String: Data] in
            do {
                try device.dropActions(at: moment, isTelling: true, log: log)
                return [:]
            } catch {
                log.error("the end of an action of this machine could not be recorded", metadata: ["why": "\(error)"])
            }
            var state = device.known
            let asked = device.performed.withLock { $0 }
            let dropped = state.dropActions(boot: device.boot, now: moment, isTelling: true, performed: asked)
            var answers: [String: Data] = [:]
            for one in dropped { answers[one.pending.command] = state.commands.answer(to: one.pending.command) }
            return answers
        }
    }

    /// Drops actions that are done or too late, before the agent answers a repeated command again.
    ///
    /// Throws if the disk does not take the change. The agent then does not answer, so that it never acknowledges an
    /// action that it will not perform.
    func dropActions(beforeRepeating command: Command) async throws {
        guard isAwaited(command) else { return }
        let (device, moment, log) = (self.device, now(), self.log)
        try await DiskRoom().run { try device.dropActions(at: moment, isTelling: true, log: log) }
    }

    /// Whether an action of the machine waits for the answer to this command.
    func isAwaited(_ command: Command) -> Bool {
        device.known.pendingActions.contains { $0.command == command.uuid }
    }
}
