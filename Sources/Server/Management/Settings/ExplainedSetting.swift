/// A setting that is assigned to a device's groups, and whether the device gets it.
package struct ExplainedSetting: Sendable, Equatable {
    package enum Outcome: Sendable, Equatable {
        case given
        case withheld(WithheldSetting.Reason)
        /// Only one setting of the kind counts, and it is that of this assignment.
        case outranked(by: SettingAssignment)
    }

    package let key: SettingKey
    package let version: Int
    package let summary: String
    /// Its assignments to the device's groups, the one with the greatest rank first.
    package let assignments: [SettingAssignment]
    package let outcome: Outcome

    /// All that are assigned, in the order of kinds and names.
    static func all(
        of assigned: [AssignedSetting], kinds: [SettingKind], for audience: DeviceAudience
    ) -> [ExplainedSetting] {
        let chosen = ChosenSetting.all(of: assigned, kinds: kinds)
        return Dictionary(grouping: assigned, by: \.key).values.compactMap { same -> ExplainedSetting? in
            guard let setting = same.first, let kind = kinds.first(where: { $0.name == setting.key.kind }) else {
                return nil
            }
            let outcome: Outcome =
                if chosen.contains(where: { $0.key == setting.key }) {
                    kind.refusal(of: audience).map { Outcome.withheld($0) } ?? Outcome.given
                } else if let winner = chosen.first(where: { $0.key.kind == kind.name }) {
                    .outranked(by: winner.setting.assignment)
                } else {
                    .given
                }
            return ExplainedSetting(
                key: setting.key, version: setting.version, summary: setting.summary,
                assignments: same.map(\.assignment).sorted { $0.rank > $1.rank }, outcome: outcome)
        }.sorted { $0.key.text.utf8.lexicographicallyPrecedes($1.key.text.utf8) }
    }
}
