package import Foundation

/// How the bytes of a configuration are written.
package enum PropertyListEncoding: String, Sendable, Codable {
    case xml
    case binary

    /// The media type under which a device downloads it.
    package var mediaType: String {
        switch self {
        case .xml: "application/xml"
        case .binary: "application/x-plist"
        }
    }
}

/// One version of an app's configuration, without its bytes.
///
/// The server looks inside for variables alone.
package struct ConfigurationVersion: Sendable, Equatable {
    package let app: String
    package let name: String
    package let version: Int
    package let encoding: PropertyListEncoding
    package let size: Int
    /// Lowercase hexadecimal.
    package let sha256: String
    /// The variables in it; nothing when devices get it as it is.
    package let variables: [String]?
    package let author: String
    package let created: Date
    /// The version whose bytes this one brought back.
    package let revertOf: Int?

    package init(
        app: String, name: String, version: Int, encoding: PropertyListEncoding, size: Int, sha256: String,
        variables: [String]? = nil, author: String, created: Date, revertOf: Int?
    ) {
        self.app = app
        self.name = name
        self.version = version
        self.encoding = encoding
        self.size = size
        self.sha256 = sha256
        self.variables = variables
        self.author = author
        self.created = created
        self.revertOf = revertOf
    }
}

/// A version with its bytes.
package struct ConfigurationDocument: Sendable, Equatable {
    package let version: ConfigurationVersion
    package let bytes: Data

    package init(version: ConfigurationVersion, bytes: Data) {
        self.version = version
        self.bytes = bytes
    }
}

/// Which version the administrator believes to be the present one.
package enum ExpectedVersion: Sendable, Equatable {
    case any
    case absent
    case version(Int)

    /// Whether the belief holds.
    package func holds(for current: Int?) -> Bool {
        switch self {
        case .any: true
        case .absent: current == nil
        case .version(let version): current == version
        }
    }
}

/// What came of storing a configuration.
package struct StoredConfiguration: Sendable, Equatable {
    package let version: ConfigurationVersion
    /// False when the bytes were already the present ones: then nothing was written.
    package let isNew: Bool
    package let warnings: [String]

    package init(version: ConfigurationVersion, isNew: Bool, warnings: [String]) {
        self.version = version
        self.isNew = isNew
        self.warnings = warnings
    }
}

/// The bounds of a configuration.
package enum ConfigurationLimits {
    /// S4-BP-01: a configuration is kilobytes; one mebibyte is refused beyond.
    package static let bytes = 1_048_576
    /// S4-BP-01: above this the administrator is warned.
    package static let warningBytes = 100_000
    /// Versions kept of each configuration; one in use is never dropped.
    package static let versions = 100
}
