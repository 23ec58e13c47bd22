/// The health of an enrolled device: the first of these cases that applies.
///
/// The console and the command line compute it here, from the same facts. A refusal comes before everything else, so
/// that no view shows a device as up to date while an app on it refuses its configuration.
package enum DeviceHealth: String, Sendable, CaseIterable {
    /// An app, or an extension, refuses its configuration.
    case refusing = "refuses a configuration"
    /// An app could not be installed or updated, lacks what is withheld, or works with an older configuration.
    case failing = "an app needs attention"
    /// The server has not seen the device for a week.
    case silent = "not seen for a week"
    /// The device has not confirmed all of its declarations yet.
    case changing = "change under way"
    case upToDate = "up to date"

    /// Nil for a device that is not enrolled: people read its state instead.
    package init?(
        _ state: DeviceState, synchronised: Bool, refusals: Int, failingApps: Int, isSilent: Bool
    ) {
        guard state == .enrolled else { return nil }
        if refusals > 0 {
            self = .refusing
        } else if failingApps > 0 {
            self = .failing
        } else if isSilent {
            self = .silent
        } else {
            self = synchronised ? .upToDate : .changing
        }
    }
}

extension DeviceSummary {
    package var health: DeviceHealth? {
        DeviceHealth(
            state, synchronised: synchronised, refusals: refusals ?? 0, failingApps: failingApps ?? 0,
            isSilent: silent == true)
    }
}

extension DeviceDetail {
    package var health: DeviceHealth? {
        DeviceHealth(
            state, synchronised: synchronised, refusals: apps.reduce(0) { $0 + ($1.refusals?.count ?? 0) },
            failingApps: apps.count { $0.standing?.isFailing == true }, isSilent: silent == true)
    }
}
