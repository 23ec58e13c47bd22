import AppSpecification
import Foundation
import InputBounds
import JSONSchema
import TestInputs
import Testing

/// Specifications and configurations made to take forever, or all memory there is.
struct HostileSpecificationTests {
    // In a debug build, with effort for a hundredth of what it may take; without bounds most of these end never.
    private static let enough = 20.0

    private static func many(_ count: Int, _ text: String) -> String {
        Array(repeating: text, count: count).joined(separator: ",")
    }

    private static func text(_ count: Int, _ letter: Character = "a") -> PropertyListValue {
        .string(String(repeating: letter, count: count))
    }

    private static func dictionary(_ count: Int, _ name: (Int) -> String) -> PropertyListValue {
        .dictionary(Dictionary(uniqueKeysWithValues: (0..<count).map { (name($0), .integer(1)) }))
    }

    struct Work: CustomTestStringConvertible, Sendable {
        let testDescription: String
        let schema: String
        let value: PropertyListValue
    }

    static let endless = [
        Work(
            testDescription: "a long text under many lists of values",
            schema: #"{"anyOf": [\#(many(20_000, #"{"enum": ["x"]}"#))]}"#, value: text(1_000_000)),
        Work(
            testDescription: "a long text that is measured often",
            schema: #"{"allOf": [\#(many(20_000, #"{"maxLength": 999999}"#))]}"#, value: text(999_999, "é")),
        Work(
            testDescription: "a long list in which nothing may be twice, said often",
            schema: #"{"allOf": [\#(many(5_000, #"{"uniqueItems": true}"#))]}"#,
            value: .array((0..<20_000).map { .integer($0) })),
        Work(
            testDescription: "many keys of which nothing is said, said often",
            schema: #"{"allOf": [\#(many(5_000, #"{"properties": {"a": {}}}"#))]}"#,
            value: dictionary(20_000) { "k\($0)" }),
        Work(
            testDescription: "a long key that is looked for in much",
            schema: #"{"items": {"required": ["\#(String(repeating: "k", count: 1_000_000))"]}}"#,
            value: .array(Array(repeating: .dictionary(["a": .integer(1)]), count: 20_000))),
        Work(
            testDescription: "a long key that much is said of",
            schema: #"{"allOf": [\#(many(10_000, #"{"properties": {"a": {}}}"#))]}"#,
            value: dictionary(1) { _ in String(repeating: "k", count: 1_000_000) }),
        Work(
            testDescription: "many keys whose names have to match, said often",
            schema: #"{"allOf": [\#(many(5_000, #"{"propertyNames": {"minLength": 1}}"#))]}"#,
            value: dictionary(20_000) { "k\($0)" }),
        Work(
            testDescription: "a pattern of many states and a long text", schema: #"{"pattern": "(a?){4000}b"}"#,
            value: text(1_000_000)),
        Work(
            testDescription: "a pattern of many states and many short texts",
            schema: #"{"items": {"allOf": [\#(many(200, #"{"pattern": "^(a|b{4000})"}"#))]}}"#,
            value: .array(Array(repeating: .string("a"), count: 50_000))),
        Work(
            testDescription: "forms within forms within forms",
            schema:
                ##"{"type": "array", "items": {"anyOf": [{"allOf": [{"$ref": "#"}, {"maxItems": 1}]}, {"$ref": "#"}]}}"##,
            value: (0..<60).reduce(.array([])) { inner, _ in .array([inner, inner]) }),
        Work(
            testDescription: "exactly one of forms that hold themselves",
            schema:
                ##"{"oneOf": [{"type": "integer"}, {"type": "array", "items": {"$ref": "#"}, "not": {"items": {"$ref": "#"}, "minItems": 9}}]}"##,
            value: (0..<60).reduce(.integer(1)) { inner, _ in .array([inner, inner]) }),
    ]

    @Test(arguments: endless) func whatWouldTakeForEverIsGivenUp(work: Work) throws {
        let document = try JSONValue(parsing: Data(work.schema.utf8), limits: SchemaLimits.document)
        let schema = try JSONSchema(document)
        let taken = processorSeconds {
            #expect(schema.violations(of: work.value, effort: 200_000).map(\.rule) == [.effort])
        }
        #expect(taken < Self.enough)
    }

    /// What is not given up is looked at to its end.
    @Test func longListsAndDeepOnesAreLookedAtWhole() throws {
        let list = PropertyListValue.array((0..<100_000).map { .integer($0) })
        let bounded = try JSONSchema(.object(["items": .object(["maximum": .integer(99_998)])]))
        #expect(bounded.violations(of: list).map(\.path.description) == ["[99999]"])
        let nested = try JSONSchema(
            JSONValue(
                parsing: Data(##"{"type": "array", "items": {"$ref": "#"}}"##.utf8), limits: SchemaLimits.document))
        var deep = PropertyListValue.array([])
        for _ in 1..<InputLimits.deepest { deep = .array([deep]) }
        #expect(nested.violations(of: deep).isEmpty)
    }

    @Test func suggestionsAmongManyLongKeysTakeNoTime() throws {
        let long = String(repeating: "k", count: 58)
        let needed = (0..<200).map { JSONValue.string("\(long)_\($0)") }
        let schema = try JSONSchema(.object(["required": .array(needed)]))
        let configuration = Self.dictionary(20_000) { "\(long)\($0)" }
        let taken = processorSeconds { #expect(schema.violations(of: configuration).count == 100) }
        #expect(taken < Self.enough)
    }

    @Test func reasonsWithinReasonsAreNotGathered() throws {
        let schema = try JSONSchema(
            JSONValue(
                parsing: Data(##"{"items": {"anyOf": [{"type": "array", "$ref": "#"}]}}"##.utf8),
                limits: SchemaLimits.document))
        var value = PropertyListValue.string("x")
        for _ in 0..<4 { value = .array(Array(repeating: value, count: 12)) }
        var count = 0
        func tally(_ violations: [SchemaViolation]) {
            count += violations.count
            for violation in violations { tally(violation.reasons) }
        }
        tally(schema.violations(of: value))
        #expect(count > 0 && count < 1_000)
    }

    // MARK: Reading

    /// Each definition holds the next twice.
    @Test func definitionsThatDoubleAreNotReadOut() throws {
        let definitions = (0..<60).map { level in
            let next = ##"{"$ref": "#/$defs/d\##(level + 1)"}"##
            return #""d\#(level)": {"properties": {"a": \#(next), "b": \#(next)}}"#
        }
        let text = definitions.joined(separator: ",")
        let taken = try processorSeconds {
            let specification = try Fixture.specification(
                keys: ##""top": {"$ref": "#/$defs/d0"}"##, more: ##", "$defs": {\##(text), "d60": {}}"##)
            #expect(specification.configuration.descendants.count < 60_000)
            #expect(specification.findings(in: .dictionary(["top": .dictionary([:])])).isEmpty)
        }
        #expect(taken < Self.enough)
    }

    static let refused = [
        ("patterns that come to much", #"{"allOf": [\#(many(2_000, #"{"pattern": "(x{1000}){9}"}"#))]}"#),
        (
            "a long name that many schemas lie under",
            #"{"properties": {"\#(String(repeating: "n", count: 500_000))": {"allOf": [\#(many(40_000, "{}"))]}}}"#
        ),
        ("too many schemas", #"{"allOf": [\#(many(60_000, "{}"))]}"#),
    ]

    @Test(arguments: refused) func specificationsThatWouldTakeAllMemoryAreRefused(_: String, schema: String) throws {
        let document = try JSONValue(parsing: Data(schema.utf8), limits: SchemaLimits.document)
        let taken = processorSeconds { #expect(throws: SchemaRefusal.self) { try JSONSchema(document) } }
        #expect(taken < Self.enough)
    }

    @Test func aMessageListsLongChoicesShortened() throws {
        let schema = try JSONSchema(.object(["enum": .array([.string(String(repeating: "x", count: 100_000))])]))
        let found = try #require(schema.violations(of: Self.text(5)).first)
        #expect(found.description.utf8.count < 400)
    }
}
