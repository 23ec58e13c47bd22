package import Foundation

/// How the versions of a configuration came to devices. `GET /apps/{app}/configurations/{name}/adoption`
package struct ConfigurationAdoption: Codable, Hashable, Sendable {
    package struct Version: Codable, Hashable, Sendable {
        package var version: Int
        /// On how many devices it is now.
        package var devices: Int

        package init(version: Int, devices: Int) {
            self.version = version
            self.devices = devices
        }
    }

    /// From a moment on a version was on so many devices, until its next point.
    package struct Point: Codable, Hashable, Sendable {
        package var time: Date
        package var version: Int
        package var devices: Int

        package init(time: Date, version: Int, devices: Int) {
            self.time = time
            self.version = version
            self.devices = devices
        }
    }

    /// Where it begins.
    package var since: Date
    /// The newest first; at most eight.
    package var versions: [Version]
    /// The oldest first.
    package var points: [Point]

    package init(since: Date, versions: [Version], points: [Point]) {
        self.since = since
        self.versions = versions
        self.points = points
    }
}
