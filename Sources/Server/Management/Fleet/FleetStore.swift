package import DeviceMessages
package import Foundation

/// What is counted over all devices, as a store keeps it.
///
/// `StatusStore.recordStatus` maintains it, and it goes with a device's status. Counting reads no device's status.
package protocol FleetStore: Sendable {
    /// The refusals that stand on a device, each with the number of devices on which the same one stands.
    func refusals(on device: String) async throws -> [ConfigurationRefusal]
    /// The refusals of an app that stand anywhere, those on most devices first.
    func refusals(of app: String, limit: Int) async throws -> [ConfigurationRefusal]
    /// Which versions of an app are on how many devices, those on most first.
    func versions(of app: String, limit: Int) async throws -> [AppVersionCount]
    /// On how many devices an app is in which state.
    func states(of app: String) async throws -> [ReportedAppState: Int]
    /// Keeps of which apps something is withheld from a device: they count as such from then on, with a record of the
    /// problem where it begins.
    func recordWithheld(_ apps: Set<String>, on device: String, epoch: Int, now: Date) async throws
    /// How many devices get an app by their groups; each counts once.
    func devices(given app: String) async throws -> Int
    /// Which of these versions are on how many of the devices that have a configuration, or would get it.
    func versions(
        of app: String, among versions: [String], on use: ConfigurationUse
    ) async throws -> [AppVersionCount]
}

/// On how many devices a version of an app is.
package struct AppVersionCount: Sendable, Hashable {
    /// As people see it.
    package let version: String
    package let devices: Int

    package init(version: String, devices: Int) {
        self.version = version
        self.devices = devices
    }
}

/// The bounds of what is counted.
package enum FleetLimits {
    /// The most different refusals of an app in one answer.
    package static let refusals = 500
    /// The most versions of an app with counts of their own.
    package static let versions = 200
}
