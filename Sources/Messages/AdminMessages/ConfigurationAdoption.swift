package import Foundation

/// How the versions of a configuration came to devices. `GET /apps/{app}/configurations/{name}/adoption`
package struct ConfigurationAdoption: Codable, Hashable, Sendable {
    package struct Version: Codable, Hashable, Sendable {
        /// The bundle identifier of the extension that has it; nothing for the app itself.
        package var `extension`: String?
        package var version: Int
        /// On how many devices it is now.
        package var devices: Int

        package init(extension name: String? = nil, version: Int, devices: Int) {
            self.extension = name
            self.version = version
            self.devices = devices
        }
    }

    /// From a moment on a version was on so many devices, until its next point.
    package struct Point: Codable, Hashable, Sendable {
        package var time: Date
        package var `extension`: String?
        package var version: Int
        package var devices: Int

        package init(time: Date, extension name: String? = nil, version: Int, devices: Int) {
            self.time = time
            self.extension = name
            self.version = version
            self.devices = devices
        }
    }

    /// Where it begins.
    package var since: Date
    /// The app's own before its extensions', and of each the newest first; at most eight of each.
    package var versions: [Version]
    /// The oldest first.
    package var points: [Point]

    package init(since: Date, versions: [Version], points: [Point]) {
        self.since = since
        self.versions = versions
        self.points = points
    }

    /// The same for the app itself, and for each of its extensions that has it.
    package var byHolder: [(extension: String?, adoption: ConfigurationAdoption)] {
        Set(versions.map(\.extension)).sorted { ($0 ?? "") < ($1 ?? "") }.map { name in
            let its = ConfigurationAdoption(
                since: since, versions: versions.filter { $0.extension == name },
                points: points.filter { $0.extension == name })
            return (name, its)
        }
    }
}
