package import DeviceMessages

/// How an app fares on a device, by the device's newest report: one state, the worst that holds.
package enum ReportedAppState: String, Sendable, CaseIterable {
    /// The app, and each of its extensions that has a configuration, decoded its configuration.
    case decoded
    /// The app is there, and has no configuration that it would report: none, or one delivered as its defaults dictionary,
    /// of which apps say nothing and for which nobody waits.
    case unconfigured
    /// Nothing is wrong, and the app, or an extension, has not read its configuration yet.
    case unknown
    /// The app, or an extension, refuses its configuration.
    case refused
    /// The device could not apply the newest version of the configuration or of a secret.
    case unapplied
    /// The app does not have a secret that it was given.
    case withheld
    /// The device could not install or update the app.
    case failed
    /// The app is not on the device yet.
    case waiting
    /// The person at the device decides whether to install the app.
    case offered

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
        } else if codes.contains(AppStatus.configurationRefused) || states.contains("invalid") {
            self = .refused
        } else if !codes.isDisjoint(with: [AppStatus.configurationNotApplied, AppStatus.secretNotUpdated]) {
            self = .unapplied
        } else if !codes.isDisjoint(with: [AppStatus.secretUnavailable, AppStatus.secretsWithheld]) {
            self = .withheld
        } else if let state = status.state, state != "managed" {
            self = .waiting
        } else if states.isEmpty {
            self = .unconfigured
        } else {
            self = states.allSatisfy { $0 == "valid" } ? .decoded : .unknown
        }
    }
}

/// On how many devices an app is in which state.
package struct ReportedAppStates: Sendable, Equatable {
    /// Devices that report the app; a state that is on none may be left out.
    package let counts: [ReportedAppState: Int]
    /// Devices that get the app by their groups and have not reported it.
    package let unreported: Int

    package init(counts: [ReportedAppState: Int], unreported: Int) {
        self.counts = counts
        self.unreported = unreported
    }

    package subscript(_ state: ReportedAppState) -> Int { counts[state] ?? 0 }
}

extension Management {
    /// On how many devices an app is in which state, and how many that get it have not reported it.
    package func states(of app: String) async throws -> Outcome<ReportedAppStates, AdminRefusal> {
        guard try await store.app(app) != nil else { return .refused(.unknownApp) }
        let counts = try await store.states(of: app)
        let devices = try await store.devices(given: app)
        let reported = counts.values.reduce(0, +)
        return .accepted(ReportedAppStates(counts: counts, unreported: max(0, devices - reported)))
    }
}
