import Foundation
import Logging

/// An action of the machine that is done, or that the agent gave up.
struct DroppedAction: Equatable, Sendable {
    let pending: PendingAction
    /// Whether the machine restarted after the server got the acknowledgement.
    let isDone: Bool

    /// Writes it to the log.
    func note(in log: Logger) {
        let metadata: Logger.Metadata = [
            "type": "\(pending.action.rawValue)", "command": "\(pending.command.prefix(64))",
        ]
        if isDone {
            log.notice("the machine has restarted since a command asked for an action", metadata: metadata)
        } else {
            log.warning(
                "a command to this machine is not carried out: it is too late, the machine has restarted, or the agent may not",
                metadata: metadata)
        }
    }
}

extension Device {
    /// Identifies the machine's present boot; nil if the agent cannot read it or may not act.
    var boot: String? { machine.flatMap { try? $0.boot() } }

    /// Removes the actions that are done or too late, and logs each; call it on a thread that may block.
    ///
    /// Throws if the disk does not take the change. The actions then stay on record and are still not performed.
    func dropActions(at moment: Date, isTelling: Bool, log: Logger) throws {
        guard !known.pendingActions.isEmpty else { return }
        let boot = boot
        for one in try change({ $0.dropActions(boot: boot, now: moment, isTelling: isTelling) }) { one.note(in: log) }
    }

    /// Logs the actions that another agent recorded and this one cannot read, and removes them.
    func dropUnreadableActions(log: Logger) throws {
        for command in known.unreadableActions {
            log.warning(
                "an action of the machine that another agent recorded cannot be read and is not carried out",
                metadata: ["command": "\(command.prefix(64))"])
        }
        try change { $0.unreadableActions = [] }
    }
}
