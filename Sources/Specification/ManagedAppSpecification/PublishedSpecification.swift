package import AppSpecification
import Foundation
import InputBounds

/// What an app publishes for administrators: the keys of its configuration, and what else they need to know.
///
/// ```swift
/// let specification = try PublishedSpecification(
///     NotesConfiguration.self, app: "com.example.notes", version: "3.1", title: "Notes",
///     secrets: [.password("account", purpose: "Signing in.", isRequired: true)],
///     errors: [.code(100, name: "badServer", meaning: "Not an https URL.", remedy: "Correct serverURL.")])
/// ```
public struct PublishedSpecification: Sendable {
    /// The document, in the order of its keys, for a file under version control.
    public var json: String { specification.pretty() }

    package let specification: AppSpecification

    /// Makes the specification of a configuration that ``ManagedConfiguration()`` describes.
    ///
    /// - Throws: an error that says what is wrong with one of the parts.
    public init<Configuration: SpecifiedConfiguration>(
        _ configuration: Configuration.Type, app bundleIdentifier: String, version: String? = nil,
        title: String? = nil, description: String? = nil, platforms: [String: String?] = [:],
        secrets: [PublishedSecret] = [], errors: [PublishedError] = [], samples: [PublishedSample] = [],
        extensions: [PublishedSpecification] = []
    ) throws {
        let app = SpecifiedApp(
            bundleIdentifier: bundleIdentifier, version: version, title: title, description: description,
            platforms: platforms)
        let shape = Configuration.shape
        let rules = ConfigurationRuleError.Kind.allCases.filter(shape.kinds.contains).map(\.specified)
        specification = try AppSpecification(
            app: app, configuration: shape.key, secrets: secrets.map(\.secret), errors: errors.map(\.error) + rules,
            samples: try samples.map { try $0.sample },
            extensions: extensions.map { ($0.specification.app.bundleIdentifier, $0.specification) })
    }

    /// Fails where the file that was published is not what the code says.
    ///
    /// For a test of the app's own. With `MARTLET_RECORD=1` in the environment the file is written instead.
    ///
    /// - Parameter path: The published file.
    /// - Throws: ``SpecificationDrift``, which names what differs, or the error of reading or writing the file.
    public func check(publishedAt path: String) throws {
        let file = URL(filePath: path)
        if ProcessInfo.processInfo.environment["MARTLET_RECORD"] == "1" {
            return try Data(json.utf8).write(to: file, options: .atomic)
        }
        let published = try AppSpecification(parsing: Data(contentsOf: file))
        guard published.canonical() != specification.canonical() else { return }
        let changes = specification.changes(since: published).map { change in
            "\(change.path.isEmpty ? "the configuration" : change.path) \(change.message)"
        }
        throw SpecificationDrift(
            path: path, differences: changes.isEmpty ? ["titles, descriptions or the like differ"] : changes)
    }

    /// Prints a specification and ends the program if `martlet spec emit` started it; to be called first in `main`.
    ///
    /// Otherwise the specification is not even made.
    public static func emitIfAsked(_ specification: @autoclosure () throws -> PublishedSpecification) rethrows {
        guard ProcessInfo.processInfo.environment["MARTLET_SPECIFICATION"] == "print" else { return }
        let text = Data(try specification().json.utf8)
        // Where the output is closed or full, the one who asked must not take a part for the whole.
        do { try FileHandle.standardOutput.write(contentsOf: text) } catch { exit(1) }
        exit(0)
    }
}

/// The published specification and the code say different things.
public struct SpecificationDrift: Error, CustomStringConvertible, Sendable {
    /// The published file.
    public let path: String
    /// What differs, a sentence each.
    public let differences: [String]

    /// What differs, and what to do about it.
    public var description: String {
        "\(path) is not what the code says: \(differences.joined(separator: "; ")). "
            + "Write it anew with MARTLET_RECORD=1, and publish it with the app."
    }
}

/// A secret that an app asks for.
public struct PublishedSecret: Sendable {
    let secret: SpecifiedSecret

    /// Names a password, or with `isPrefix` all whose identifiers begin so.
    public static func password(
        _ identifier: String, isPrefix: Bool = false, purpose: String, isRequired: Bool = false
    ) -> PublishedSecret {
        make(.password, identifier, isPrefix, purpose, isRequired)
    }

    /// Names a certificate, or with `isPrefix` all whose identifiers begin so.
    public static func certificate(
        _ identifier: String, isPrefix: Bool = false, purpose: String, isRequired: Bool = false
    ) -> PublishedSecret {
        make(.certificate, identifier, isPrefix, purpose, isRequired)
    }

    /// Names an identity, or with `isPrefix` all whose identifiers begin so.
    public static func identity(
        _ identifier: String, isPrefix: Bool = false, purpose: String, isRequired: Bool = false
    ) -> PublishedSecret {
        make(.identity, identifier, isPrefix, purpose, isRequired)
    }

    private static func make(
        _ kind: SpecifiedSecret.Kind, _ identifier: String, _ isPrefix: Bool, _ purpose: String, _ isRequired: Bool
    ) -> PublishedSecret {
        PublishedSecret(
            secret: SpecifiedSecret(
                kind: kind, identifier: identifier, isPrefix: isPrefix, purpose: purpose, isRequired: isRequired))
    }
}

/// An error with which an app refuses a configuration.
public struct PublishedError: Sendable {
    let error: SpecifiedError

    /// Documents a code of the app's own: of a key's `refusal`, or thrown by ``SpecifiedConfiguration/validate()``.
    public static func code(
        _ code: Int, name: String? = nil, meaning: String, remedy: String? = nil
    ) -> PublishedError {
        PublishedError(error: SpecifiedError(code: code, name: name, meaning: meaning, remedy: remedy))
    }
}

/// A configuration that shows how an app is configured.
public struct PublishedSample: Sendable {
    private let title: String
    private let description: String?
    private let json: String

    /// Shows a configuration that is written in JSON, in which dates and data are texts.
    public init(_ title: String, description: String? = nil, json: String) {
        self.title = title
        self.description = description
        self.json = json
    }

    var sample: SpecifiedSample {
        get throws {
            SpecifiedSample(
                title: title, description: description,
                configuration: try JSONValue(parsing: Data(json.utf8), limits: .configuration))
        }
    }
}
