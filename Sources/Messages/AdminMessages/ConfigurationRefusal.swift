package import Foundation

/// A refusal that stands: an app, or an extension of it, does not take its configuration. `GET /apps/{app}/refusals`
///
/// Refusals are the same where app version, configuration and its version, code and key path are.
package struct ConfigurationRefusal: Codable, Hashable, Sendable {
    /// The bundle identifier of the extension; the app itself without it.
    package var `extension`: String?
    package var appVersion: String?
    /// What was refused; nothing where it is none of the server's any more.
    package var configurationName: String?
    package var configurationVersion: Int?
    /// The groups that are given the configuration now.
    package var groups: [String]
    package var code: Int?
    package var keyPath: String?
    /// The path is where decoding stopped, not what the error named.
    package var keyPathSupplied: Bool?
    /// The app's own words; of many devices those of the one that refused last.
    package var message: String?
    /// On how many devices it stands.
    package var devices: Int
    /// Since when: on the device, or on the first of them.
    package var since: Date
    /// Since when on the last of several devices.
    package var latest: Date?
    package var explanation: RefusalExplanation?

    package init(
        extension: String? = nil, appVersion: String? = nil, configurationName: String? = nil,
        configurationVersion: Int? = nil, groups: [String] = [], code: Int? = nil, keyPath: String? = nil,
        keyPathSupplied: Bool? = nil, message: String? = nil, devices: Int, since: Date, latest: Date? = nil,
        explanation: RefusalExplanation? = nil
    ) {
        self.extension = `extension`
        self.appVersion = appVersion
        self.configurationName = configurationName
        self.configurationVersion = configurationVersion
        self.groups = groups
        self.code = code
        self.keyPath = keyPath
        self.keyPathSupplied = keyPathSupplied
        self.message = message
        self.devices = devices
        self.since = since
        self.latest = latest
        self.explanation = explanation
    }
}

/// What a refusal's code means, and what to do about it, as the app publishes it.
package struct RefusalExplanation: Codable, Hashable, Sendable {
    package var name: String?
    package var meaning: String
    package var remedy: String?
    /// The version of the app whose specification says it; nothing for codes that mean the same for every app.
    package var specification: String?
    /// Whether that is not the version that refused, but the nearest that published something.
    package var isNearest: Bool?

    package init(
        name: String? = nil, meaning: String, remedy: String? = nil, specification: String? = nil,
        isNearest: Bool? = nil
    ) {
        self.name = name
        self.meaning = meaning
        self.remedy = remedy
        self.specification = specification
        self.isNearest = isNearest
    }
}

/// On how many devices a version of an app is. `GET /apps/{app}/versions`
package struct AppVersionSummary: Codable, Hashable, Sendable {
    package var version: String
    package var devices: Int
    /// The version whose specification says what this one refuses; nothing where none does.
    package var specification: String?

    package init(version: String, devices: Int, specification: String? = nil) {
        self.version = version
        self.devices = devices
        self.specification = specification
    }
}
