package import Foundation

/// The bytes of a new configuration version, already judged.
package struct ConfigurationDraft: Sendable {
    package let app: String
    package let name: String
    package let bytes: Data
    package let encoding: PropertyListEncoding
    package let sha256: String
    /// The variables in it; nothing when devices get it as it is.
    package let variables: [String]?
    package let author: String
    package let now: Date

    package init(
        app: String, name: String, bytes: Data, encoding: PropertyListEncoding, sha256: String,
        variables: [String]? = nil, author: String, now: Date
    ) {
        self.app = app
        self.name = name
        self.bytes = bytes
        self.encoding = encoding
        self.sha256 = sha256
        self.variables = variables
        self.author = author
        self.now = now
    }
}

/// Configurations, as a store keeps them.
package protocol ConfigurationStore: Sendable {
    /// Adds a version if the expected one is present; the same bytes again change nothing.
    /// The history keeps the newest `keeping` versions.
    func putConfiguration(
        _ draft: ConfigurationDraft, expected: ExpectedVersion, keeping: Int
    ) async throws -> Outcome<Changed<StoredConfiguration>, AdminRefusal>
    /// Adds a version with the bytes of an old one.
    func revertConfiguration(
        app: String, name: String, to version: Int, expected: ExpectedVersion, author: String, keeping: Int, now: Date
    ) async throws -> Outcome<Changed<StoredConfiguration>, AdminRefusal>
    /// The present version of each configuration of an app, by name.
    func configurations(
        of app: String, _ page: PageRequest
    ) async throws -> Outcome<Page<ConfigurationVersion>, AdminRefusal>
    /// One version, the present one if none is named.
    func configuration(app: String, name: String, version: Int?) async throws -> ConfigurationDocument?
    /// The kept versions, newest first.
    func configurationVersions(
        app: String, name: String, _ page: PageRequest
    ) async throws -> Outcome<Page<ConfigurationVersion>, AdminRefusal>
    /// Removes a configuration that no assignment uses.
    func removeConfiguration(
        app: String, name: String, expected: ExpectedVersion, author: String, now: Date
    ) async throws -> AdminRefusal?
}
