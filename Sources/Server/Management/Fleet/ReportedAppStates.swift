package import DeviceMessages

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

extension ReportedAppState {
    /// The state of an app of which the server withholds something from the device, where this is the reported one.
    ///
    /// The device cannot know what the server withholds. A reported state stays if it also goes before a secret that
    /// the device itself says the app lacks.
    package var whereWithheld: ReportedAppState {
        switch self {
        case .decoded, .unconfigured, .unknown, .waiting, .withheld: .withheld
        case .refused, .unapplied, .failed, .offered: self
        }
    }

    /// The state of an app whose declaration the device reports as invalid; `reported` is what it reports of the app.
    ///
    /// A device that cannot fetch the manifest of an app does not know which app the declaration means, and reports no
    /// such app. An app that is there goes on with what it has.
    package static func whereRejected(_ reported: ReportedAppState?) -> ReportedAppState {
        switch reported {
        case nil, .waiting?: .failed
        case .decoded?, .unconfigured?, .unknown?: .unapplied
        case .refused?: .refused
        case .unapplied?: .unapplied
        case .withheld?: .withheld
        case .failed?: .failed
        case .offered?: .offered
        }
    }

    /// The state of each app of one device, by app, out of what the server keeps of the device.
    ///
    /// `refusing` names the apps whose refusals stand. One of these may be in no list, because what the device reported
    /// since left no room for the list; the counts of the fleet know its refusal all the same. `rejecting` names the
    /// apps whose declarations the device reports as invalid, `withholding` those of which the server withholds
    /// something from the device.
    package static func ofApps(
        _ reported: [AppStatus], refusing: some Sequence<String>, rejecting: Set<String> = [], withholding: Set<String>
    ) -> [String: ReportedAppState] {
        var states: [String: ReportedAppState] = [:]
        for status in reported where !status.removed { states[status.identifier] = ReportedAppState(status) }
        for app in refusing where states[app] == nil { states[app] = .refused }
        for app in rejecting { states[app] = whereRejected(states[app]) }
        for app in withholding { states[app] = states[app]?.whereWithheld }
        return states
    }
}
