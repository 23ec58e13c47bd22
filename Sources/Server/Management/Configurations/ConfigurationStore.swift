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
    /// Keys whose values look like secrets and are delivered as a defaults dictionary, for the audit log.
    package let suspectedSecrets: [String]

    package init(
        app: String, name: String, bytes: Data, encoding: PropertyListEncoding, sha256: String,
        variables: [String]? = nil, author: String, now: Date, suspectedSecrets: [String] = []
    ) {
        self.app = app
        self.name = name
        self.bytes = bytes
        self.encoding = encoding
        self.sha256 = sha256
        self.variables = variables
        self.author = author
        self.now = now
        self.suspectedSecrets = suspectedSecrets
    }
}

/// Configurations, as a store keeps them.
package protocol ConfigurationStore: Sendable {
    /// Adds a version if the expected one is present; the same bytes again change nothing.
    /// The history keeps the newest `keeping` versions.
    func putConfiguration(
        _ draft: ConfigurationDraft, expected: ExpectedVersion, keeping: Int
    ) async throws -> Outcome<Changed<StoredConfiguration>, AdminRefusal>
    /// Adds a version with the bytes of an old one; where these are the present ones, nothing changes.
    ///
    /// The audit log has the keys whose values look like secrets and are delivered as a defaults dictionary.
    func revertConfiguration(
        app: String, name: String, to version: Int, expected: ExpectedVersion, author: String, keeping: Int, now: Date,
        suspectedSecrets: [String]
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

extension ConfigurationStore {
    /// The same of a version without such keys.
    package func revertConfiguration(
        app: String, name: String, to version: Int, expected: ExpectedVersion, author: String, keeping: Int, now: Date
    ) async throws -> Outcome<Changed<StoredConfiguration>, AdminRefusal> {
        try await revertConfiguration(
            app: app, name: name, to: version, expected: expected, author: author, keeping: keeping, now: now,
            suspectedSecrets: [])
    }
}
