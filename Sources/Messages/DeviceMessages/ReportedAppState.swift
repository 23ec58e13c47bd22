/// The state of an app on a device, by what the device reports of it: one word, the worst that applies.
///
/// Server and agent both find the word here, so that what the device shows and what the server shows are the same.
package enum ReportedAppState: String, Sendable, CaseIterable {
    /// The app, and each of its extensions that has a configuration, decoded its configuration.
    case decoded
    /// The app is there, and has no configuration that it would report: none, or one delivered as its defaults dictionary,
    /// in files or over HTTP, of which apps say nothing and for which nobody waits.
    case unconfigured
    /// Nothing is wrong, and the app, or an extension, has not read its configuration yet.
    case unknown
    /// The app, or an extension, refuses its configuration.
    case refused
    /// The device could not apply the newest version of the configuration or of a secret.
    case unapplied
    /// The app does not have a secret that it was given, or the server withholds something of it from the device.
    case withheld
    /// The device could not install or update the app.
    case failed
    /// The app is not on the device yet.
    case waiting
    /// The person at the device decides whether to install the app.
    case offered

    /// The word of an app that the device gets and has not reported, which has no state yet.
    package static let unreportedWord = "unreported"

    /// Whether there is anything left to do until the app works as it is assigned.
    package var isInOrder: Bool { [.decoded, .unconfigured, .offered].contains(self) }

    /// Whether an administrator has to act because the state does not end by itself.
    package var isFailing: Bool { [.refused, .unapplied, .withheld, .failed].contains(self) }

    /// Reads what a device says of an app.
    package init(_ status: AppStatus) {
        let codes = Set(status.reasons.map(\.code))
        let states =
            (status.configState?.app.map { [$0] } ?? []) + (status.configState?.extensions.values.map(\.self) ?? [])
        if status.state == "failed" || status.updateState == "failed" {
            self = .failed
        } else if status.state == "optional" {
            self = .offered
        } else if !status.isAbsent, codes.contains(AppStatus.configurationRefused) || states.contains("invalid") {
            self = .refused
        } else if !codes.isDisjoint(with: [AppStatus.configurationNotApplied, AppStatus.secretNotUpdated]) {
            self = .unapplied
        } else if !codes.isDisjoint(with: [AppStatus.secretUnavailable, AppStatus.secretsWithheld]) {
            self = .withheld
        } else if let state = status.state, state != "managed" {
            self = .waiting
        } else if states.isEmpty || (codes.contains(AppStatus.configurationHandedOver) && status.waitsForAppAlone) {
            self = .unconfigured
        } else {
            self = states.allSatisfy { $0 == "valid" } ? .decoded : .unknown
        }
    }
}

extension AppStatus {
    /// Whether nothing is unknown but what the app itself makes of its configuration.
    fileprivate var waitsForAppAlone: Bool {
        configState?.app == "unknown" && configState?.extensions.values.allSatisfy { $0 == "valid" } == true
    }
}
