package import Foundation

/// What an app published for one of its versions. `GET /apps/{app}/specifications`
package struct SpecificationSummary: Codable, Hashable, Sendable {
    package var version: String
    package var sha256: String
    package var size: Int
    package var author: String
    package var added: Date
    /// The package that brought it, by its SHA-256; nothing where an administrator set it by hand.
    package var package: String?
    /// Configurations that the version refuses; said when it is set.
    package var warnings: [String]?

    package init(
        version: String, sha256: String, size: Int, author: String, added: Date, package: String? = nil,
        warnings: [String]? = nil
    ) {
        self.version = version
        self.sha256 = sha256
        self.size = size
        self.author = author
        self.added = added
        self.package = package
        self.warnings = warnings
    }
}

/// A rule of its specification that a configuration breaks.
package struct Finding: Codable, Hashable, Sendable {
    /// The key, such as `servers[0].port`; empty for the whole.
    package var path: String
    /// The rule's name: a keyword of JSON Schema, or `suspectedSecret` of a value that looks like a secret.
    package var rule: String
    /// What is allowed, and of what type the value is; never the value.
    package var message: String
    package var suggestion: String?
    /// The versions on devices concerned that would refuse it; nothing where only the newest that published something
    /// would.
    package var versions: [AppVersionSummary]?
    /// The app, where several are judged at once.
    package var app: String?
    /// That the app takes it, but hardly as it is meant; nothing of what is refused.
    package var severity: FindingSeverity?

    package init(
        path: String, rule: String, message: String, suggestion: String? = nil, versions: [AppVersionSummary]? = nil,
        app: String? = nil, severity: FindingSeverity? = nil
    ) {
        self.path = path
        self.rule = rule
        self.message = message
        self.suggestion = suggestion
        self.versions = versions
        self.app = app
        self.severity = severity
    }

    /// For people, a line.
    package var sentence: String {
        (app.map { "\($0): " } ?? "") + "\(path.isEmpty ? "the configuration" : path): \(message)"
            + (suggestion.map { ". \($0)" } ?? "") + fleet
    }

    private var fleet: String {
        guard let versions, !versions.isEmpty else { return "" }
        let all = versions.map { "version \($0.version) on \($0.devices) device\($0.devices == 1 ? "" : "s")" }
        return " (\(all.joined(separator: ", ")))"
    }
}

/// How much what is found in a configuration weighs.
package struct FindingSeverity: Word {
    package static let warning = FindingSeverity(rawValue: "warning")

    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }
}

/// What an app's specifications say about a configuration. `POST /apps/{app}/configuration-check`
package struct ConfigurationCheck: Codable, Hashable, Sendable {
    /// What the newest version of the app would refuse, and what those would that are on devices which have the
    /// configuration.
    package var errors: [Finding]
    package var warnings: [String]

    package init(errors: [Finding], warnings: [String]) {
        self.errors = errors
        self.warnings = warnings
    }
}
