import DeviceMessages
import InputBounds

/// The status items for apps that are managed by command.
extension StatusItems {
    static func commandedApps(
        _ state: AgentState, present: [AppBundle], _ standings: [String: AppStanding], _ withFeedback: Set<String>
    ) -> JSONValue {
        .array(
            state.commanded.filter { state.applied.apps[$0.key] == nil }.sorted { $0.key < $1.key }.map { one in
                let (identifier, app) = one
                let standing = standings[identifier]
                let bundle = present.first { $0.identifier == identifier }
                return CommandedAppStatus(
                    identifier: identifier, name: bundle?.name ?? app.manifest?.title, version: bundle?.version,
                    state: standing?.state.rawValue, hasConfiguration: app.configuration != nil,
                    configuration: app.configuration, hasFeedback: withFeedback.contains(identifier),
                    reasons: standing?.reasons ?? []
                ).value
            })
    }
}
