/// Where devices of one platform get an app. `PUT /apps/{app}/sources/{platform}/{origin}`
///
/// `location` is the digest of a hosted package, the URL of a manifest, the number of an app of the App Store, or the
/// composed identifier of an installed app, where it is not the app's own.
package struct AppSource: Codable, Hashable, Sendable {
    /// `linux`, `macos`, `ios` (iPhones and iPads) or `visionos`.
    package var platform: String
    /// `package`, `manifest`, `app-store` or `installed`; a device gets the first of these whose minimums it meets.
    package var origin: String
    package var location: String?
    /// `device` or `user`, for the App Store.
    package var license: String?
    /// `required` or `optional`.
    package var install: String
    /// `always`, `never` or `store-settings`; without it the device decides.
    package var updates: String?
    package var minimumOSVersion: String?
    package var minimumAgentVersion: String?

    package init(
        platform: String, origin: String, location: String? = nil, license: String? = nil, install: String = "required",
        updates: String? = nil, minimumOSVersion: String? = nil, minimumAgentVersion: String? = nil
    ) {
        self.platform = platform
        self.origin = origin
        self.location = location
        self.license = license
        self.install = install
        self.updates = updates
        self.minimumOSVersion = minimumOSVersion
        self.minimumAgentVersion = minimumAgentVersion
    }
}

/// The content of a source; the path has its platform and origin.
package struct AppSourceRequest: Codable, Hashable, Sendable {
    package var location: String?
    package var license: String?
    /// `required` if left out.
    package var install: String?
    package var updates: String?
    package var minimumOSVersion: String?
    package var minimumAgentVersion: String?

    package init(
        location: String? = nil, license: String? = nil, install: String? = nil, updates: String? = nil,
        minimumOSVersion: String? = nil, minimumAgentVersion: String? = nil
    ) {
        self.location = location
        self.license = license
        self.install = install
        self.updates = updates
        self.minimumOSVersion = minimumOSVersion
        self.minimumAgentVersion = minimumAgentVersion
    }
}
