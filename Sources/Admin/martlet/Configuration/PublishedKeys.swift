import AdminMessages
package import AppSpecification
import Foundation
package import InputBounds

/// What an app publishes of its configuration: by it texts of JSON are read as the dates and data that they mean.
package struct PublishedKeys: Sendable {
    /// The app's own, and those of its extensions, whose configurations have the same names.
    private let specifications: [AppSpecification]

    /// Reads by a specification; for an extension that is named, by the extension's alone.
    package init(_ specification: AppSpecification?, extension identifier: String? = nil) {
        if let identifier {
            specifications = (specification?.extensions[identifier]).map { [$0] } ?? []
        } else {
            let inner = specification?.extensions.sorted { $0.key < $1.key }.map(\.value) ?? []
            specifications = (specification.map { [$0] } ?? []) + inner
        }
    }

    /// The keys that a configuration in JSON is meant for: the app's own, unless it fits an extension's alone.
    package func keys(for value: JSONValue) -> SpecifiedKey {
        let fitting = specifications.first { specification in
            guard !specification.configuration.keys.isEmpty,
                let list = try? specification.configuration.propertyList(value)
            else { return false }
            return specification.findings(in: list, most: 1).isEmpty
        }
        return (fitting ?? specifications.first)?.configuration ?? SpecifiedKey("", .any)
    }

    /// What the server keeps of an app's newest version; nothing where there is none, or who asks may not see it.
    static func of(
        _ app: String, extension identifier: String? = nil, at server: Server
    ) async throws -> PublishedKeys {
        do {
            let all: [SpecificationSummary] = try await server.list("apps", app, "specifications", first: 1)
            guard let newest = all.first else { return PublishedKeys(nil) }
            let answer = try await server.send(.get, ["apps", app, "specifications", newest.version])
            return PublishedKeys(try? AppSpecification(parsing: answer.body), extension: identifier)
        } catch let failure as Failure where [.notFound, .refused].contains(failure.status) {
            // What is to be set says it better.
            return PublishedKeys(nil)
        }
    }
}

extension ConfigurationDocument {
    /// Reads what an administrator wrote for an app of the server.
    ///
    /// - Throws: `Failure` for what is no configuration, and where the server is asked and does not answer.
    static func read(
        _ input: Data, as form: DocumentForm, of app: String, extension identifier: String? = nil
    ) async throws -> ConfigurationDocument {
        guard form == .json else { return try ConfigurationDocument(reading: input, as: form) }
        let value = try json(input)
        let published = try await Server.inSession { server in
            try await PublishedKeys.of(app, extension: identifier, at: server)
        }
        return try ConfigurationDocument(value, keys: published.keys(for: value))
    }
}
