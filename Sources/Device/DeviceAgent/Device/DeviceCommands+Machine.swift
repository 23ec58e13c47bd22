import DeviceMessages
import InputBounds

// Commands that restart the machine or shut it down. Executing one records the action together with the answer.
// `ActionsAtWork` performs the action once the server has the answer.
extension DeviceCommands {
    static let machineCommands: [String: Known] = MachineAction.allCases.reduce(into: [:]) { known, action in
        known[action.rawValue] = Known(needs: AccessRights.lockAndPasscode) {
            .report($0.expect(action, $1, &$2))
        }
        .preparing { session, _, commands in commands.machine = try await session.readiness(for: action) }
    }

    private func expect(_ action: MachineAction, _ command: Command, _ state: inout AgentState) -> CommandReport {
        for key in action.otherWishes {
            guard let value = command.request[key] else { continue }
            guard let isWished = value.bool else { return malformed(command, state) }
            if isWished { return cannot(action, command, state, "it does not support \(key)") }
        }
        for key in action.otherTexts {
            guard let value = command.request[key] else { continue }
            guard let text = value.string else { return malformed(command, state) }
            if !text.isEmpty { return cannot(action, command, state, "it does not support \(key)") }
        }
        if state.enrollment?.isOfAPerson == true {
            return cannot(action, command, state, "it belongs to a person, who enrolled it with an account")
        }
        switch machine ?? MachineReadiness.heldBack {
        case .cannot(let why): return cannot(action, command, state, why)
        case .can(let boot, let moment):
            // An action that is over does not block a new one.
            _ = state.dropActions(boot: boot, now: moment, isTelling: true)
            if let other = state.pendingActions.first(where: { $0.command != command.uuid }) {
                return isBusy(action, command, state, with: other)
            }
            state.expect(PendingAction(action, command: command.uuid, boot: boot, recorded: moment))
            return acknowledged(command, state)
        }
    }

    /// Refuses a command while another action is under way, after which this one would have no effect.
    private func isBusy(
        _ action: MachineAction, _ command: Command, _ state: AgentState, with other: PendingAction
    ) -> CommandReport {
        refused(
            command, state, 1_012,
            """
            This device cannot be \(action.participle) now: it is about to be \(other.action.participle) by the command \
            \(other.command).
            """)
    }

    private func cannot(
        _ action: MachineAction, _ command: Command, _ state: AgentState, _ why: String
    ) -> CommandReport {
        refused(command, state, 1_010, "This device cannot be \(action.participle): \(why).")
    }
}

extension Enrollment {
    /// Whether a person brought the device, and not an organization: no server has it restarted.
    var isOfAPerson: Bool { separatesData || (kind == .account && !isSupervised) }
}
