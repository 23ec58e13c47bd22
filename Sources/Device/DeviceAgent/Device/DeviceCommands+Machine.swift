import DeviceMessages
import InputBounds

// Commands that have the machine do something. Executing one records, with its answer, what is to be done: it is done once
// the server has the answer (ActionsAtWork).
extension DeviceCommands {
    static let machineCommands: [String: Known] = MachineAction.allCases.reduce(into: [:]) { known, action in
        known[action.rawValue] = Known(needs: AccessRights.lockAndPasscode) { .report($0.expect(action, $1, &$2)) }
    }

    private func expect(_ action: MachineAction, _ command: Command, _ state: inout AgentState) -> CommandReport {
        for key in action.otherWishes {
            guard let value = command.request[key] else { continue }
            guard let isWished = value.bool else { return malformed(command, state) }
            if isWished { return cannot(action, command, state, "it has nothing that would follow \(key)") }
        }
        if state.enrollment?.isOfAPerson == true {
            return cannot(action, command, state, "it is a person's, who enrolled it by their account")
        }
        switch machine ?? MachineReadiness.heldBack {
        case .cannot(let why): return cannot(action, command, state, why)
        case .can(let boot, let moment):
            state.expect(PendingAction(action, command: command.uuid, boot: boot, recorded: moment))
            return acknowledged(command, state)
        }
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
