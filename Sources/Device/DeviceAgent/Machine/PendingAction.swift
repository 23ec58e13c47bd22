import DeviceMessages
package import Foundation

/// An action of the machine that a command asks for, to be performed once the server has the answer to the command.
///
/// The agent stores it together with the answer and keeps it until the machine has restarted. So the agent need not
/// write before it acts, which a full disk could prevent. The action belongs to one boot: after any restart the agent
/// drops it, so that it takes effect once. While it is on record, the agent begins no other action.
package struct PendingAction: Codable, Equatable, Sendable {
    /// The longest time, in seconds, until the agent sends the acknowledgement to the server.
    package static let validity: TimeInterval = 600

    /// The longest time, in seconds, after which the agent still acts once the server has the acknowledgement.
    ///
    /// It is longer than `validity`: the server may confirm late an acknowledgement that left in time, and then relies
    /// on it.
    package static let lastMoment: TimeInterval = 1_200

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

    /// What the agent does with an action now.
    enum Step: Equatable, Sendable {
        /// The server does not have the answer yet.
        case wait
        case act
        /// The machine has restarted after the server got the answer, or did what ends no boot.
        case done
        /// It is too late, or the machine restarted before the server got the answer, so the agent does not act.
        case drop
    }

    /// Decides what to do with it at `moment`.
    ///
    /// `boot` is the machine's present boot; nil if the agent cannot read it or may not act. If the clock shows a time
    /// before the command, the age of the action is unknown and the agent drops it.
    ///
    /// With `isPerformed`, this process has asked the machine for it.
    func step(boot now: String?, isDelivered: Bool, isPerformed: Bool = false, at moment: Date) -> Step {
        if isPerformed, !action.endsBoot { return .done }
        guard let now else { return .drop }
        guard now == boot else { return isDelivered ? .done : .drop }
        let age = moment.timeIntervalSince(recorded)
        guard (0...(isDelivered ? Self.lastMoment : Self.validity)).contains(age) else { return .drop }
        return isDelivered ? .act : .wait
    }

    /// The answer for an action that the agent drops; it replaces the acknowledgement or follows it.
    func undone(_ identifier: EnrollmentIdentifier, isDelivered: Bool) -> CommandReport {
        let why =
            isDelivered
            ? "The device did not act in time after the acknowledgement"
            : "The agent could not send its answer in time"
        return .undone(
            command, identifier, "\(why), so this device was not \(action.participle) by the command. Send it again.")
    }
}

extension CommandReport {
    /// The error for a command that the agent acknowledged and does not carry out.
    static func undone(_ command: String, _ identifier: EnrollmentIdentifier, _ sentence: String) -> CommandReport {
        let link = ErrorChainItem(
            code: 1_011, domain: DeviceCommands.errorDomain, localizedDescription: sentence,
            englishDescription: sentence)
        return CommandReport(identifier: identifier, status: .error, commandUUID: command, errorChain: [link])
    }
}

extension AgentState {
    /// Records an action; a command that comes twice has one record.
    mutating func expect(_ pending: PendingAction) {
        guard !pendingActions.contains(where: { $0.command == pending.command }) else { return }
        pendingActions.append(pending)
    }

    /// Removes the actions that are done or too late, and returns them.
    ///
    /// For an action that the agent does not perform, the server gets an error: in place of the acknowledgement if it
    /// does not have that yet, else after it. Pass `isTelling` only when no acknowledgement is on its way: only then
    /// may the error replace it.
    ///
    /// `performed` are the commands whose actions this process has asked the machine for.
    mutating func dropActions(
        boot: String?, now: Date, isTelling: Bool, performed: Set<String> = []
    ) -> [DroppedAction] {
        var dropped: [DroppedAction] = []
        for pending in pendingActions {
            let isDelivered = commands.isDelivered(pending.command)
            let isPerformed = performed.contains(pending.command)
            let step = pending.step(boot: boot, isDelivered: isDelivered, isPerformed: isPerformed, at: now)
            guard step == .done || step == .drop, isDelivered || isTelling else { continue }
            dropped.append(DroppedAction(pending: pending, isDone: step == .done))
            // Without the name of the boot, the machine may have restarted after all.
            let isKnown = boot != nil || !isDelivered
            guard step == .drop, isKnown, commands.answer(to: pending.command) != nil else { continue }
            commands.record(
                pending.command, report: pending.undone(identifier, isDelivered: isDelivered).encoded())
        }
        pendingActions.removeAll { pending in dropped.contains { $0.pending == pending } }
        return dropped
    }
}
