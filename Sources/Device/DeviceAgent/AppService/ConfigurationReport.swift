package import Foundation

/// What an app's decoder said about one version of its configuration.
package struct ConfigurationReport: Codable, Equatable, Sendable {
    /// The app that decoded.
    package let bundleIdentifier: String

    /// The extension of it that decoded, if it was one.
    package let `extension`: String?

    /// The version it decoded, as in `AppState`.
    package let version: String

    /// Whether the app accepted it.
    package let valid: Bool

    /// The app's own code, or a reserved one, when it refused.
    package let code: Int?

    /// The app's words, when it refused.
    package let message: String?

    /// Where in the property list, for example `managedCollection.landmarks[2]`.
    package let keyPath: String?

    /// Whether the path is where the decoder was, not what the app's error named.
    package let keyPathSupplied: Bool

    /// When the report came in.
    package let at: Date

    /// Makes a report.
    package init(
        bundleIdentifier: String, extension: String? = nil, version: String, valid: Bool, code: Int? = nil,
        message: String? = nil, keyPath: String? = nil, keyPathSupplied: Bool = false, at: Date
    ) {
        self.bundleIdentifier = bundleIdentifier
        self.extension = `extension`
        self.version = version
        self.valid = valid
        self.code = code
        self.message = message
        self.keyPath = keyPath
        self.keyPathSupplied = keyPathSupplied
        self.at = at
    }

    /// What it is kept under: no bundle identifier has a slash.
    static func key(_ app: String, extension: String? = nil) -> String { `extension`.map { "\(app)/\($0)" } ?? app }

    var key: String { Self.key(bundleIdentifier, extension: `extension`) }
}
