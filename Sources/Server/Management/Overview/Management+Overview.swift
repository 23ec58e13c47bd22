package import Foundation

/// The fleet at a glance, as a store keeps it: counts that the changes themselves keep, and what a bound ends.
package struct FleetOverview: Sendable, Equatable {
    package struct App: Sendable, Equatable {
        package let identifier: String
        package let name: String
        /// That have it.
        package let devices: Int
        /// That stand, on all devices.
        package let refusals: Int
        /// That are given it.
        package let groups: Int

        package init(identifier: String, name: String, devices: Int, refusals: Int, groups: Int) {
            self.identifier = identifier
            self.name = name
            self.devices = devices
            self.refusals = refusals
            self.groups = groups
        }
    }

    package let devices: [EnrollmentState: Int]
    /// At most one more than the bound.
    package let silent: Int
    package let openCodes: Int
    /// Those with most refusals first, then by identifier.
    package let apps: [App]

    package init(devices: [EnrollmentState: Int], silent: Int, openCodes: Int, apps: [App]) {
        self.devices = devices
        self.silent = silent
        self.openCodes = openCodes
        self.apps = apps
    }
}

/// The bounds of what is seen at a glance.
package struct OverviewBounds: Sendable {
    package var counted = 1_000
    package var apps = 500
    /// Devices that were not seen for as many whole days are silent.
    package var silentDays = 7

    package init() {}
}

package protocol OverviewStore: Sendable {
    func overview(_ bounds: OverviewBounds, now: Date) async throws -> FleetOverview
    /// How many enrolled devices are in any of these groups.
    func enrolledDevices(in groups: [String]) async throws -> Int
}

extension Management {
    package func overview(_ bounds: OverviewBounds = OverviewBounds()) async throws -> FleetOverview {
        try await store.overview(bounds, now: moment)
    }
}
