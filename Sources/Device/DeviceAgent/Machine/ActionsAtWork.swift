package import Foundation
package import Logging
import Synchronization

/// Has the machine do what a command asks for, once the server has the answer to the command.
///
/// It writes nothing to the disk before it acts. While an action is on record, the agent refuses all others. The record
/// goes when the machine has restarted or did what ends no boot, or when the time for the action is over.
package struct ActionsAtWork: Sendable {
    private let device: Device
    private let bell: InstallBell
    private let changed: @Sendable () -> Void
    private let now: @Sendable () -> Date
    private let room = DiskRoom()
    private let log: Logger

    /// `bell` rings when an answer may have reached the server; `changed` is called when there is another answer to
    /// send.
    package init(
        device: Device, bell: InstallBell, changed: @escaping @Sendable () -> Void,
        now: @escaping @Sendable () -> Date, log: Logger
    ) {
        self.device = device
        self.bell = bell
        self.changed = changed
        self.now = now
        self.log = log
    }

    /// Works until the task is canceled.
    package func run() async { await bell.work { await pass() } }

    /// Does what is due; says whether nothing is left to be done.
    @discardableResult
    package func pass() async -> Bool {
        let state = device.known
        guard !state.pendingActions.isEmpty || !state.unreadableActions.isEmpty else { return true }
        do {
            return try await room.run { try settle() }
        } catch is CancellationError {
            return false
        } catch {
            log.error("the end of an action of this machine could not be recorded", metadata: ["why": "\(error)"])
            return false
        }
    }

    private func settle() throws -> Bool {
        let moment = now()
        let boot = device.boot
        let state = device.known
        for pending in state.pendingActions {
            let isDelivered = state.commands.isDelivered(pending.command)
            guard let machine = device.machine, !device.performed.withLock({ $0.contains(pending.command) }),
                pending.step(boot: boot, isDelivered: isDelivered, at: moment) == .act
            else { continue }
            do {
                log.notice("a command has this machine \(pending.action.participle)")
                try machine.perform(pending.action)
                // In memory only: a new agent in the same boot asks again. A machine that is going down refuses that;
                // any other action does no harm when it is asked for twice.
                device.performed.withLock { _ = $0.insert(pending.command) }
            } catch {
                log.error(
                    "this machine could not be \(pending.action.participle) and is asked again",
                    metadata: ["why": "\(error)"])
            }
        }
        // These come last because they write: a full disk must not prevent an action.
        if !state.unreadableActions.isEmpty { try device.dropUnreadableActions(log: log) }
        try device.dropActions(at: moment, isTelling: false, log: log)
        if device.known.commands != state.commands { changed() }
        return device.known.pendingActions.isEmpty
    }
}
