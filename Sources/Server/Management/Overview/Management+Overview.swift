package import DeviceMessages
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
        /// On how many devices it is in which state.
        package let states: [ReportedAppState: Int]
        /// Devices that get it by their groups and have not reported it.
        package let unreported: Int
        /// There may be more that have not: counting them would have taken too long.
        package let mayBeMoreUnreported: Bool

        package init(
            identifier: String, name: String, devices: Int, refusals: Int, groups: Int,
            states: [ReportedAppState: Int] = [:], unreported: Int = 0, mayBeMoreUnreported: Bool = false
        ) {
            self.states = states
            self.unreported = unreported
            self.mayBeMoreUnreported = mayBeMoreUnreported
            self.identifier = identifier
            self.name = name
            self.devices = devices
            self.refusals = refusals
            self.groups = groups
        }

        /// Devices on which something is left to do until it works as it is assigned.
        package var notInOrder: Int {
            states.reduce(unreported) { $0 + ($1.key.isInOrder ? 0 : $1.value) }
        }
    }

    package let devices: [EnrollmentState: Int]
    /// At most one more than the bound.
    package let silent: Int
    package let openCodes: Int
    /// Those that are not in order on most devices first, then by identifier.
    package let apps: [App]
    /// The names of secrets of which a value was forgotten with its master key.
    package let secretsWithoutValue: [String]

    package init(
        devices: [EnrollmentState: Int], silent: Int, openCodes: Int, apps: [App], secretsWithoutValue: [String] = []
    ) {
        self.secretsWithoutValue = secretsWithoutValue
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
    package var secrets = 100
    /// Memberships of groups that are read to count the devices of apps that several groups are given.
    package var memberships = 200_000
    /// Devices that were not seen for as many whole days are silent.
    package var silentDays = 7

    package init() {}

    /// Decides whether a device is silent, by the same days in UTC by which a store counts silent devices.
    func isSilent(lastSeen: Date, now: Date) -> Bool {
        func day(_ date: Date) -> Int { Int((date.timeIntervalSince1970 / 86_400).rounded(.down)) }
        return day(lastSeen) < day(now) - silentDays
    }
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

    /// Whether an enrolled device has not been seen for a week.
    ///
    /// The channel of a user is not silent by itself, and not counted in the overview: users do not log in every week.
    package func isSilent(_ device: Device, _ bounds: OverviewBounds = OverviewBounds()) -> Bool {
        guard device.state == .enrolled, !device.isUserChannel, let lastSeen = device.lastSeen else { return false }
        return bounds.isSilent(lastSeen: lastSeen, now: moment)
    }
}
