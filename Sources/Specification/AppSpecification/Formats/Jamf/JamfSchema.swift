import Foundation
import InputBounds
import JSONSchema

/// JSON Schema as Jamf's forms read it: that of older drafts, with words of their own for order and titles.
enum JamfSchema {
    static let name = "a Jamf schema"
    static let dialect = "http://json-schema.org/draft-07/schema#"

    // What Jamf has of its own.
    static let domain = "__preferencedomain"

    static func read(
        _ document: JSONValue, bundleIdentifier: String?
    ) throws(SpecificationRefusal) -> Converted<AppSpecification> {
        var reader = DraftReader()
        guard var keywords = reader.modern(document, at: []).object else {
            throw SpecificationRefusal(place: "", rule: "is no object")
        }
        keywords["$schema"] = nil
        let named = keywords[domain]?.string
        keywords[domain] = nil
        var app = keywords["x-app"]?.object ?? [:]
        let own = app["bundleIdentifier"]?.string ?? named
        let titled = keywords["title"]?.string.flatMap(identifier)
        guard let identifier = bundleIdentifier ?? own ?? titled else {
            throw SpecificationRefusal(
                place: "/x-app/bundleIdentifier", rule: "the schema names no app; say which one it is about")
        }
        if let own, own != identifier {
            reader.notes.warn([], "x-app.bundleIdentifier", "another bundle identifier was asked for, and is taken")
        } else if own == nil, bundleIdentifier == nil {
            reader.notes.warn([], "x-app.bundleIdentifier", "it is taken from the title")
        }
        app["bundleIdentifier"] = .string(identifier)
        keywords["x-app"] = .object(app)
        if keywords["type"] == nil { keywords["type"] = .string("object") }
        var repair = SchemaRepair(notes: reader.notes)
        let readable = repair.mended(.object(keywords))
        var values = SchemaValues(of: readable, notes: repair.notes)
        let specification = try AppSpecification(values.mended(readable, at: []))
        return Converted(specification, notes: values.notes.all)
    }

    /// Jamf's own titles end with the domain in brackets.
    private static func identifier(_ title: String) -> String? {
        title.firstMatch(of: /\(([A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)+)\)\s*$/).map { String($0.1) }
    }

    static func write(_ specification: AppSpecification) -> Converted<Data> {
        var writer = DraftWriter()
        let carried: Set = ["title", "description"]
        var notes = specification.lossesAroundKeys(of: name, except: carried)
        var document = specification.document.object ?? [:]
        let beside = [
            "x-app", "x-locale", "x-revision", "x-secrets", "x-errors", "x-feedback", "x-samples", "x-extensions",
        ]
        for keyword in beside {
            document[keyword] = nil
        }
        var keywords = writer.older(.object(document), at: []).object ?? [:]
        notes += writer.notes.all
        keywords["$schema"] = .string(dialect)
        keywords[domain] = .string(specification.app.bundleIdentifier)
        return Converted(JSONValue.object(keywords).encoded(), notes: notes)
    }
}
