import DeviceMessages
package import Foundation

/// How the versions of a configuration came to devices.
package struct Adoption: Sendable, Equatable {
    /// The most versions with counts of their own, the newest ones, for the app and for each of its extensions.
    package static let versions = 8
    /// The most holders of a configuration, the app and its extensions, with counts of their own.
    package static let holders = 8
    /// How far back it goes, and how long it is kept.
    package static let days = 31

    package struct Version: Sendable, Equatable {
        /// The extension that has it; nothing for the app itself.
        package let `extension`: String?
        package let version: Int
        /// On how many devices it is now.
        package let devices: Int

        package init(extension name: String? = nil, version: Int, devices: Int) {
            self.extension = name
            self.version = version
            self.devices = devices
        }
    }

    /// From an hour on a version was on so many devices.
    package struct Point: Sendable, Equatable {
        package let time: Date
        package let `extension`: String?
        package let version: Int
        package let devices: Int

        package init(time: Date, extension name: String? = nil, version: Int, devices: Int) {
            self.time = time
            self.extension = name
            self.version = version
            self.devices = devices
        }
    }

    package let since: Date
    /// The app's own before its extensions', and of each the newest first.
    package let versions: [Version]
    /// The oldest first; where a version was on devices before, its first point is at the beginning.
    package let points: [Point]

    package init(since: Date, versions: [Version], points: [Point]) {
        self.since = since
        self.versions = versions
        self.points = points
    }
}

/// Which versions of configurations are on devices, and were, as a store keeps it.
package protocol AdoptionStore: Sendable {
    /// Keeps the configurations that a device reports. A configuration that it should have and does not report yet
    /// stays as it was; one that it should no longer have is removed. Counts by version are kept with it, by the hour.
    func recordHeld(
        _ held: [HeldConfiguration], of device: String, toldOf holders: [ConfigurationHolder], now: Date
    ) async throws
    /// On how many devices the newest versions are and were; nothing where there is no such configuration.
    func adoption(of app: String, configuration name: String, since: Date) async throws -> Adoption?
}

extension Management {
    /// Notes which configurations a device has by what it now reports of its declarations.
    func keepHeld(by device: String, _ reported: DeclarationStatuses) async throws {
        guard let context = try await context(device) else { return }
        let manifest = try await manifest(of: context)
        try await noteSettled(context, manifest, reported)
        let ticket = places.ticket(manifest.declarationsToken)
        let found: ConfigurationPlaces
        if let known = places.value(manifest.declarationsToken) {
            found = known
        } else {
            found = ConfigurationPlaces(of: manifest)
            places.keep(found, manifest.declarationsToken, ticket)
        }
        try await store.recordHeld(found.held(by: reported), of: device, toldOf: found.holders, now: moment)
    }

    /// How the versions of a configuration came to devices in the last weeks.
    package func adoption(of app: String, configuration name: String) async throws -> Outcome<Adoption, AdminRefusal> {
        guard try await store.app(app) != nil else { return .refused(.unknownApp) }
        let since = moment.addingTimeInterval(-TimeInterval(Adoption.days) * 86_400)
        return try await store.adoption(of: app, configuration: name, since: since).map { .accepted($0) }
            ?? .refused(.unknownConfiguration)
    }
}
