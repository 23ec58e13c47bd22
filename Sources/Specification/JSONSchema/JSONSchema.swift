import Foundation
package import InputBounds
import Patterns

/// A JSON Schema (2020-12), read once, that validates values.
///
/// Keywords that assert something and are not implemented are refused when the schema is read; unknown keywords are
/// annotations and stay in the document. What is implemented is a table in `docs/Martlet.docc/Specifications.md`. Nothing is fetched:
/// references reach what is in the document.
package struct JSONSchema: Sendable {
    /// The schema as it was read, with its annotations.
    package let document: JSONValue

    let nodes: [SchemaNode]

    /// Reads a schema; rules that are left out are not checked, which tests use to see that something notices.
    package init(_ document: JSONValue, leavingOut omitted: Set<SchemaRule> = []) throws(SchemaRefusal) {
        var compiler = SchemaCompiler(document, leavingOut: omitted)
        nodes = try compiler.compile()
        self.document = document
    }

    /// What a configuration breaks, in the order of the schema's keywords, up to `most`; nothing if it is valid.
    package func violations(
        of configuration: PropertyListValue, most: Int = 100, effort: Int = SchemaLimits.effort
    ) -> [SchemaViolation] {
        violations(in: configuration, most: most, effort: effort)
    }

    /// What a JSON document breaks; in one, dates and data are texts.
    package func violations(
        of document: JSONValue, most: Int = 100, effort: Int = SchemaLimits.effort
    ) -> [SchemaViolation] {
        violations(in: document, most: most, effort: effort)
    }

    private func violations(in value: some SchemaInstance, most: Int, effort: Int) -> [SchemaViolation] {
        // Most are valid, and that is seen sooner where nothing is put in order or noted.
        var glance = SchemaCheck(nodes: nodes, most: most, effort: effort / 8)
        if glance.fits(0, value), !glance.isExhausted { return [] }
        var check = SchemaCheck(nodes: nodes, most: most, effort: effort)
        check.hold(0, against: value)
        return check.findings
    }
}

/// Limits for the size of a schema and for the work of a validation.
package enum SchemaLimits {
    /// A schema as text.
    package static let document = InputLimits(bytes: 1_048_576, objects: 100_000)
    /// Schemas in a document.
    static let nodes = 50_000
    /// Bytes that the places of all of them come to.
    static let places = 16_777_216
    /// Steps that all patterns come to.
    static let patterns = 1_000_000
    /// Steps until a check is given up: a second or two, of which a megabyte that is meant well takes a tenth.
    package static let effort = 20_000_000
    /// Schemas that one value is under at once, by references and by what lies in one another.
    static let depth = 400
}

/// One schema of a document.
struct SchemaNode: Sendable {
    var rules: [Rule] = []
    /// The types it asks for, if it does.
    var types: SchemaTypes?
    /// Where it stands in the document, as a JSON pointer.
    var place = ""

    enum Rule: Sendable {
        case nothing
        case type(SchemaTypes)
        case oneOfValues(Set<CanonicalValue>, SchemaRule, words: [String], listing: String)
        case number(SchemaRule, SchemaNumber)
        case length(SchemaRule, Int)
        case pattern(Pattern)
        case count(SchemaRule, Int)
        case uniqueItems
        case items(first: [Int], rest: Int?)
        case contains(Int, least: Int, most: Int?)
        case required([String])
        case dependentRequired([(key: String, others: [String])])
        case members(SchemaMembers)
        case propertyNames(Int)
        case dependentSchemas([(key: String, node: Int)])
        case all([Int])
        case any([Int])
        case one([Int])
        case not(Int)
        case condition(Int, then: Int?, otherwise: Int?)
        case reference(Int)
        case date(SchemaRule, Date)
        case bytes(SchemaRule, Int)
    }
}

/// What the keys of a dictionary are under.
struct SchemaMembers: Sendable {
    var named: [String: Int] = [:]
    var patterns: [(pattern: Pattern, node: Int)] = []
    /// What every other key is under, and whether that is nothing at all.
    var others: Int?
    var forbidsOthers = false
}
