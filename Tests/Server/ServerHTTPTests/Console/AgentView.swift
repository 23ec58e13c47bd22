import DeviceAgent
import DeviceMessages
import Foundation
import InputBounds

/// What `martlet-agent status` says of an app.
enum AgentView {
    private static let version = String(repeating: "0", count: 64)

    /// The app's state in the line that the agent prints on a device with this status; nil without a managed app.
    ///
    /// The last report has only where the app is: the agent takes the verdict on its configuration from its own state.
    static func word(for status: AppStatus?, at moment: Date = Date(timeIntervalSince1970: 1_700_000_000)) -> String? {
        var state = AgentState(udid: "U")
        if let status { add(status, to: &state, at: moment) }
        let rows = state.managed.map { AgentSummary.App($0.key, $0.value, in: state).cells }
        return rows.first?.dropLast().last
    }

    private static func add(_ status: AppStatus, to state: inout AgentState, at moment: Date) {
        let app = status.identifier
        let said = status.configState?.app
        // The refusal itself is not among the reasons of what is applied: it follows from what the app reported.
        let reasons = status.reasons.filter { $0.code != AppStatus.configurationRefused }
        state.applied.apps[app] = AppliedApp(
            composedIdentifier: app, declarationIdentifier: "declaration", configuration: said.map { _ in version },
            reasons: reasons.filter { $0.code == AppStatus.secretUnavailable })
        if let said, said != "unknown" {
            state.reports[app] = ConfigurationReport(
                bundleIdentifier: app, version: version, valid: said == "valid", at: moment)
        }
        if reasons.contains(where: { $0.code == AppStatus.configurationHandedOver }) {
            state.handOvers[app] = ConfigurationHandOver(bundleIdentifier: app, version: version, way: .http)
        }
        let told = AppStatus(
            identifier: app, state: status.state,
            reasons: reasons.filter { $0.code != AppStatus.secretUnavailable })
        let items: [String: JSONValue] = [AppStatus.name: .array([told.value])]
        if let report = state.status.report(of: items, now: moment) { state.status.accepted(report, now: moment) }
    }
}
