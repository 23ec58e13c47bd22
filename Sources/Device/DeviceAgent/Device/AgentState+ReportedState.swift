import DeviceMessages

extension AgentState {
    /// The state of a declared app, by the same rule as the server's.
    ///
    /// Whether the app is on the device comes from the last report that the server accepted; its verdict on its
    /// configuration, and its secrets, come from the present state. Nil if no accepted report has the app.
    func reportedState(of app: String) -> ReportedAppState? {
        guard let applied = applied.apps[app], var status = self.status.reportedStatus(of: app) else { return nil }
        status.configState = configState(of: app)
        status.reasons =
            status.reasons.filter { !Self.codesOfConfigurations.contains($0.code) } + applied.reasons
            + StatusItems.reasons(report(of: app)) + StatusItems.handOverReasons(handOver(of: app))
        return ReportedAppState(status)
    }

    /// Reasons that come from the present state, not from the last report.
    private static let codesOfConfigurations: Set = [
        AppStatus.configurationRefused, AppStatus.configurationNotApplied, AppStatus.secretUnavailable,
        AppStatus.secretNotUpdated, AppStatus.configurationHandedOver,
    ]
}
