import AdminMessages
import Management

extension EffectiveSetting {
    init(_ found: ExplainedSetting) {
        self.init(
            kind: found.key.kind, name: found.key.name, version: found.version, summary: found.summary,
            given: found.outcome == .given,
            assignments: found.assignments.map {
                EffectiveSettingAssignment(group: $0.group, priority: $0.priority, assigned: $0.assigned)
            }, withheld: Reason(found.outcome, beside: found.assignments.first).map { [$0] } ?? [])
    }
}

extension Reason {
    /// Why a setting with this best assignment is not given; nothing where it is.
    fileprivate init?(_ outcome: ExplainedSetting.Outcome, beside first: SettingAssignmentRecord?) {
        let cause: String
        switch outcome {
        case .given: return nil
        case .withheld(.untold(let types)):
            cause = "the device has not said yet whether it takes \(types.joined(separator: ", "))"
        case .withheld(.unsupported(let types)):
            cause = "the device says that it does not take \(types.joined(separator: ", "))"
        case .withheld(.ofAPerson):
            cause = "it concerns the whole device, and this one belongs to a person"
        case .outranked(let winner):
            let isHigher = first.map { winner.priority > $0.priority } ?? true
            cause =
                "only one setting of its kind counts, and \(winner.setting) by \(winner.group) "
                + (isHigher
                    ? "has the higher priority \(winner.priority)" : "has the same priority, and was assigned later")
        }
        self.init(code: "Server.Withheld", description: "The setting is withheld: \(cause).")
    }
}
