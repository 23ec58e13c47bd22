package import Foundation

/// A named configuration of an app, as its newest version stands. `GET /apps/{app}/configurations`
package struct ConfigurationSummary: Codable, Hashable, Sendable {
    package var name: String
    package var version: Int
    package var sha256: String
    package var size: Int
    package var modified: Date
    /// The variables it uses; nothing when devices get it as it is.
    package var variables: [String]?

    package init(
        name: String, version: Int, sha256: String, size: Int, modified: Date, variables: [String]? = nil
    ) {
        self.name = name
        self.version = version
        self.sha256 = sha256
        self.size = size
        self.modified = modified
        self.variables = variables
    }
}

/// What became of a configuration that was set or reverted.
///
/// Setting what is already there makes no new version: the answer names the present one.
package struct ConfigurationAnswer: Codable, Hashable, Sendable {
    package var version: Int
    package var sha256: String
    package var size: Int
    package var warnings: [String]
    /// The variables it uses; nothing when devices get it as it is.
    package var variables: [String]?
    /// Nothing was written, because the content was the present one.
    package var unchanged: Bool?

    package init(
        version: Int, sha256: String, size: Int, warnings: [String] = [], variables: [String]? = nil,
        unchanged: Bool? = nil
    ) {
        self.unchanged = unchanged
        self.version = version
        self.sha256 = sha256
        self.size = size
        self.warnings = warnings
        self.variables = variables
    }
}

/// One version in a configuration's history, newest first. `GET …/versions`
package struct ConfigurationVersion: Codable, Hashable, Sendable {
    package var version: Int
    package var sha256: String
    package var size: Int
    package var created: Date
    package var author: String?
    /// The version whose content this one took back.
    package var revertOf: Int?

    package init(
        version: Int, sha256: String, size: Int, created: Date, author: String? = nil, revertOf: Int? = nil
    ) {
        self.version = version
        self.sha256 = sha256
        self.size = size
        self.created = created
        self.author = author
        self.revertOf = revertOf
    }
}

/// Makes an earlier version the newest again. `POST …/revert`
package struct RevertRequest: Codable, Hashable, Sendable {
    package var version: Int

    package init(version: Int) { self.version = version }
}

/// The size rules of a configuration, the same at the CLI and at the server.
package enum ConfigurationSize {
    /// Accepted up to here, in bytes as sent.
    package static let limit = 1_048_576
    /// Warned about above this, in bytes as sent: devices hold every configuration, apps read it at each change.
    package static let warning = 100_000

    /// The refusal of a larger one.
    package static let rule = "a configuration is at most 1,048,576 bytes"

    /// The warning about a large one.
    package static func warning(bytes: Int) -> String? {
        guard bytes > warning else { return nil }
        return "the configuration has \(bytes) bytes; above 100,000 consider references to data instead"
    }
}
