import Foundation
import Logging
import Synchronization

/// An action of the machine that is done, or that the agent gave up.
struct DroppedAction: Equatable, Sendable {
    let pending: PendingAction
    /// Whether the machine restarted after the server got the acknowledgement, or did what ends no boot.
    let isDone: Bool

    /// Writes it to the log.
    func note(in log: Logger) {
        let metadata: Logger.Metadata = [
            "type": "\(pending.action.rawValue)", "command": "\(pending.command.prefix(64))",
        ]
        if isDone {
            let message: Logger.Message =
                pending.action.endsBoot
                ? "the machine has restarted since a command asked for an action"
                : "the machine has done what a command asked for"
            log.notice(message, metadata: metadata)
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
        let (boot, asked) = (self.boot, performed.withLock { $0 })
        let dropped = try change { state in
            state.dropActions(boot: boot, now: moment, isTelling: isTelling, performed: asked)
        }
        for one in dropped { one.note(in: log) }
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
