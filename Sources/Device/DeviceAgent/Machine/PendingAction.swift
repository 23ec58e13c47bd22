import DeviceMessages
package import Foundation

/// What a command has the machine do once the server has its answer.
///
/// It is kept in the same change as the answer. The boot that it belongs to makes it take effect once: after a restart,
/// for any reason, it is dropped.
package struct PendingAction: Codable, Equatable, Sendable {
    /// Seconds for which it may wait for the answer's delivery, or for the machine.
    package static let validity: TimeInterval = 600

    package let action: MachineAction
    /// The command's UUID.
    package let command: String
    /// The boot in which it was asked for.
    package let boot: String
    package let recorded: Date

    package init(_ action: MachineAction, command: String, boot: String, recorded: Date) {
        self.action = action
        self.command = command
        self.boot = boot
        self.recorded = recorded
    }

    /// What is to be made of it now.
    enum Step: Equatable, Sendable {
        /// The server does not have the answer yet.
        case wait
        case act
        /// The machine has restarted since, or it is too late.
        case drop
    }

    /// Says what to do with it at `moment`.
    ///
    /// `boot` is the machine's present one; nothing if that cannot be known, or the agent may not act. A clock that was set
    /// back behind the moment of the command says nothing of how long ago that is.
    func step(boot now: String?, isDelivered: Bool, at moment: Date) -> Step {
        let age = moment.timeIntervalSince(recorded)
        guard now == boot, (0...Self.validity).contains(age) else { return .drop }
        return isDelivered ? .act : .wait
    }

    /// What is answered in the place of the acknowledgement that did not reach the server in time.
    func undone(_ identifier: EnrollmentIdentifier) -> CommandReport {
        let sentence = """
            The agent could not tell its answer in time, so this device was not \(action.participle) by the command. \
            Send it again.
            """
        let link = ErrorChainItem(
            code: 1_011, domain: DeviceCommands.errorDomain, localizedDescription: sentence,
            englishDescription: sentence)
        return CommandReport(identifier: identifier, status: .error, commandUUID: command, errorChain: [link])
    }
}

extension AgentState {
    /// Keeps what a command asks of the machine; asked for twice it is done once.
    mutating func expect(_ pending: PendingAction) {
        pendingActions.removeAll { $0.action == pending.action }
        pendingActions.append(pending)
    }

    /// Drops what is not to be done any more, and returns it.
    ///
    /// A server that was not told yet that it would be done is told that it was not.
    mutating func dropActions(boot: String?, now: Date) -> [PendingAction] {
        let commands = commands
        let dropped = pendingActions.filter { pending in
            let isDelivered = commands.isDelivered(pending.command)
            return pending.step(boot: boot, isDelivered: isDelivered, at: now) == .drop
        }
        pendingActions.removeAll { dropped.contains($0) }
        for one in dropped where commands.answer(to: one.command) != nil && !commands.isDelivered(one.command) {
            self.commands.record(one.command, report: one.undone(identifier).encoded())
        }
        return dropped
    }
}
