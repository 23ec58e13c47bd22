import AppPackages
import DeviceMessages
import InputBounds

/// The status items for apps' extensions.
extension StatusItems {
    /// Why extensions have nothing, or refused what they have.
    static func extensionReasons(_ state: AgentState, _ bundle: AppBundle?) -> [StatusReason] {
        guard let bundle, let app = state.applied.apps[bundle.identifier] else { return [] }
        let keys = app.extensionKeys(signedBy: state.installed[bundle.identifier]?.team)
        return bundle.extensions.sorted { $0.identifier < $1.identifier }.flatMap { one -> [StatusReason] in
            guard keys[one.identifier] != nil else { return [] }
            let name = ExtensionName(app: bundle.identifier, identifier: one.identifier)
            guard one.isRestricted, !state.fullAccess.contains(name) else {
                return reasons(state.report(of: bundle.identifier, extension: one.identifier))
            }
            return [
                StatusReason(
                    code: "Info.FullAccessNeeded",
                    description: "The extension is given nothing: nobody at the device has granted it full access.",
                    details: .object(["Extension": .string(one.identifier), "Kind": .string(one.kind)]))
            ]
        }
    }
}

extension AgentState {
    /// What an app, or an extension of it, said about the configuration that serves.
    func report(of app: String, extension name: String? = nil) -> ConfigurationReport? {
        guard let report = reports[ConfigurationReport.key(app, extension: name)], let applied = applied.apps[app]
        else { return nil }
        let serving =
            if let name {
                applied.extensionKeys(signedBy: installed[app]?.team)[name].flatMap { applied.extensions[$0.text] }
            } else {
                applied.configuration
            }
        return report.version == serving ? report : nil
    }

    /// What became of an app's configurations: unknown until app or extension has itself read what serves.
    func configState(of app: String) -> AppStatus.ConfigState? {
        guard let applied = applied.apps[app], applied.configuration != nil || !applied.extensions.isEmpty else {
            return nil
        }
        let configured = applied.extensionKeys(signedBy: installed[app]?.team).filter {
            applied.extensions[$0.value.text] != nil
        }
        return AppStatus.ConfigState(
            app: applied.configuration == nil ? nil : Self.verdict(report(of: app)),
            extensions: configured.keys.reduce(into: [:]) {
                $0[$1] = Self.verdict(report(of: app, extension: $1))
            })
    }

    private static func verdict(_ report: ConfigurationReport?) -> String {
        report.map { $0.valid ? "valid" : "invalid" } ?? "unknown"
    }
}
