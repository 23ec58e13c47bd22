package import Foundation
package import InputBounds
package import JSONSchema

/// What an app publishes for administrators: how it is configured, which secrets it asks for, what its errors mean.
///
/// The canonical form is one JSON Schema document (2020-12) for the configuration, whose annotations, all beginning
/// with `x-`, hold the rest. Nothing of a document that was read is lost: unknown annotations stay in it.
package struct AppSpecification: Sendable {
    /// The document as it was read.
    package let document: JSONValue

    /// The schema for every configuration.
    package let schema: JSONSchema

    /// Which app this is about.
    package let app: SpecifiedApp

    /// The dictionary that a configuration is, with everything inside.
    package let configuration: SpecifiedKey

    package let secrets: [SpecifiedSecret]
    package let errors: [SpecifiedError]
    package let feedback: [SpecifiedFeedback]
    package let samples: [SpecifiedSample]

    /// Advice about keys that no schema forbids.
    let advice: ConfigurationAdvice

    /// Each extension's own, by its bundle identifier.
    package let extensions: [String: AppSpecification]

    /// Reads a specification in its canonical form.
    package init(parsing data: Data) throws(SpecificationRefusal) {
        let document: JSONValue
        do {
            document = try JSONValue(parsing: data, limits: SchemaLimits.document)
        } catch {
            throw SpecificationRefusal(place: "", rule: "is no acceptable JSON: \(error.sentence)")
        }
        try self.init(document)
    }

    /// Reads a document that lies in memory.
    package init(_ document: JSONValue) throws(SpecificationRefusal) {
        try self.init(document, identifier: nil)
    }

    private init(_ document: JSONValue, identifier: String?) throws(SpecificationRefusal) {
        let reader = SpecificationReader(document)
        do {
            schema = try JSONSchema(document)
        } catch {
            throw SpecificationRefusal(place: error.place, rule: error.rule)
        }
        self.document = document
        app = try reader.app(of: identifier)
        configuration = SpecifiedKey(reading: document)
        advice = ConfigurationAdvice(configuration)
        secrets = try reader.secrets()
        errors = try reader.errors()
        feedback = try reader.feedback()
        samples = try reader.samples()
        var extensions: [String: AppSpecification] = [:]
        for (name, inner) in try reader.extensions(isInside: identifier != nil) {
            do {
                extensions[name] = try AppSpecification(inner, identifier: name)
            } catch {
                let word = name.replacing(scalars: "~", with: "~0").replacing(scalars: "/", with: "~1")
                let place = "/x-extensions/" + word
                throw SpecificationRefusal(place: place + error.place, rule: error.rule)
            }
        }
        self.extensions = extensions
    }

    /// The canonical text: keys in order, each value in one form, so that equal specifications are equal bytes.
    package func canonical() -> Data { document.encoded() }
}

/// Why a document is no specification.
package struct SpecificationRefusal: Error, Hashable, Sendable, CustomStringConvertible {
    /// Where in the document, as a JSON pointer; empty for the whole.
    package let place: String
    package let rule: String

    package init(place: String, rule: String) {
        (self.place, self.rule) = (place, rule)
    }

    package var description: String { "\(place.isEmpty ? "the specification" : place): \(rule)" }
}

/// How large what is published may be; each app version's is kept.
package enum SpecificationLimits {
    /// As text, of whatever format.
    package static let bytes = SchemaLimits.document.bytes
    package static let extensions = 64
    /// Keys, where a schema that is referred to counts each time; those with long paths count for more.
    static let keys = 50_000
    /// Keys within keys: no property list nests more deeply.
    static let depth = 128
    package static let secrets = 1_000
    package static let errors = 10_000
    package static let feedback = 1_000
    package static let samples = 100
    /// A sentence or a page.
    package static let text = 16_384
}
