package import Foundation

/// What an app published for one of its versions. `GET /apps/{app}/specifications`
package struct SpecificationSummary: Codable, Hashable, Sendable {
    package var version: String
    package var sha256: String
    package var size: Int
    package var author: String
    package var added: Date
    /// Configurations that the version refuses; said when it is set.
    package var warnings: [String]?

    package init(
        version: String, sha256: String, size: Int, author: String, added: Date, warnings: [String]? = nil
    ) {
        self.version = version
        self.sha256 = sha256
        self.size = size
        self.author = author
        self.added = added
        self.warnings = warnings
    }
}

/// A rule of its specification that a configuration breaks.
package struct Finding: Codable, Hashable, Sendable {
    /// The key, such as `servers[0].port`; empty for the whole.
    package var path: String
    /// The rule's name, a keyword of JSON Schema.
    package var rule: String
    /// What is allowed, and of what type the value is; never the value.
    package var message: String
    package var suggestion: String?

    package init(path: String, rule: String, message: String, suggestion: String? = nil) {
        self.path = path
        self.rule = rule
        self.message = message
        self.suggestion = suggestion
    }

    /// For people, a line.
    package var sentence: String {
        "\(path.isEmpty ? "the configuration" : path): \(message)" + (suggestion.map { ". \($0)" } ?? "")
    }
}

/// What an app's specifications say about a configuration. `POST /apps/{app}/configuration-check`
package struct ConfigurationCheck: Codable, Hashable, Sendable {
    /// What the newest version of the app would refuse.
    package var errors: [Finding]
    package var warnings: [String]

    package init(errors: [Finding], warnings: [String]) {
        self.errors = errors
        self.warnings = warnings
    }
}
