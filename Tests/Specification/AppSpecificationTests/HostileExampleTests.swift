import AppSpecification
import Foundation
import InputBounds
import TestInputs
import Testing

/// Specifications whose examples would take forever, all memory, or end the process.
struct HostileExampleTests {
    private static func size(of value: PropertyListValue) -> Int {
        switch value {
        case .string(let text): 1 + text.utf8.count
        case .data(let data): 1 + data.count
        case .array(let items): items.reduce(1) { $0 + size(of: $1) }
        case .dictionary(let entries): entries.reduce(1) { $0 + $1.key.utf8.count + size(of: $1.value) }
        default: 1
        }
    }

    /// A list of a hundred lists, and so on.
    private static func nested(_ depth: Int, _ inner: String) -> String {
        (0..<depth).reduce(inner) { text, _ in #"{"type": "array", "minItems": 100, "items": \#(text)}"# }
    }

    static let endless = [
        nested(10, #"{"type": "string"}"#), nested(10, #"{"type": "integer"}"#),
        nested(10, #"{"type": "object", "properties": {"a": {"type": "string", "minLength": 1000}}}"#),
        nested(3, #"{"type": "string", "default": "\#(String(repeating: "d", count: 10_000))"}"#),
        #"{"type": "string", "minLength": 9223372036854775807}"#,
        #"{"type": "string", "contentEncoding": "base64", "x-minBytes": 9223372036854775807}"#,
    ]

    /// Red where lists multiply, or a text or data is as long as the bound asks for; other keys have their example.
    @Test(arguments: endless) func anExampleHasABoundedSize(schema: String) throws {
        let specification = try Fixture.specification(keys: #""a": {"type": "boolean"}, "b": \#(schema)"#)
        let example = specification.example()
        #expect(example["a"] == .boolean(false))
        #expect(Self.size(of: example) < 100_000)
    }

    static let bounds = [
        #""minimum": 1e300"#, #""minimum": 9223372036854775807"#, #""maximum": -1e300"#,
        #""minimum": 10, "multipleOf": 1e-308"#, #""exclusiveMinimum": 1.7e308"#,
        #""minimum": 1e308, "multipleOf": 1.7e308"#,
    ]

    /// Red where the number that the bounds come to is made an integer that there is not, which ended the process.
    @Test(arguments: bounds, ["integer", "number"])
    func aNumberOfBoundsWithoutOneIsMadeUpAllTheSame(bounds: String, type: String) throws {
        let specification = try Fixture.specification(
            keys: #""a": {"type": "boolean"}, "b": {"type": "\#(type)", \#(bounds)}"#)
        let example = specification.example()
        #expect(example["a"] == .boolean(false))
        if case .real(let number)? = example["b"] { #expect(number.isFinite) }
    }

    // MARK: Conditions

    private func fitted(_ schema: String) throws -> ExampleFitting {
        let specification = try AppSpecification(
            parsing: Data(#"{"x-app": {"bundleIdentifier": "com.example.a"}, "type": "object", \#(schema)}"#.utf8))
        var fitting = ExampleFitting(.dictionary(["b": .string("b")]), of: specification.configuration)
        fitting.fit(specification.schema)
        return fitting
    }

    /// A condition that wants a hidden dictionary, in it another one, and so on, each named as often as said.
    private static func wish(_ depth: Int, named times: Int) -> String {
        (0..<depth).reduce("{}") { inner, _ in
            let names = Array(repeating: #""k""#, count: times).joined(separator: ",")
            return #"{"required": [\#(names)], "properties": {"k": \#(inner)}}"#
        }
    }

    private static func hidden(_ depth: Int) -> String {
        (0..<depth).reduce(#"{"type": "string"}"#) { inner, _ in
            #"{"type": "object", "x-ui": {"hidden": true}, "properties": {"k": \#(inner)}}"#
        }
    }

    /// Red where a name that stands twice in `required` is looked at twice: what is asked for inside multiplies.
    @Test func namesThatAreRepeatedDoNotMultiply() throws {
        let fitting = try fitted(
            #"""
            "required": ["b"], "properties": {"b": {"type": "string"}, "k": \#(Self.hidden(5))},
            "if": \#(Self.wish(5, named: 12)), "then": {}, "else": {"properties": {"b": false}}
            """#)
        #expect(fitting.trials > 0 && fitting.trials < 1_000)
    }

    /// Red where a large schema was looked for among those that were read at no charge, at each trial.
    @Test func aLargeConditionHasFewerTrials() {
        let trials = ConditionTrials()
        let large = JSONValue.object(["const": .string(String(repeating: "x", count: 100_000))])
        var answered = 0
        while answered < ConditionTrials.most, trials.fits(large, .string("y")) != nil { answered += 1 }
        #expect(answered > 0 && answered < 1_000)
        #expect(trials.isSpent && trials.compared < 2 * ConditionTrials.mostCompared)
    }

    /// A condition of a hidden key, a list of values, an absence, or some of them combined.
    private static func condition(_ generator: inout SplitMix64, depth: Int) -> String {
        let key = "k\(Int.random(in: 0..<4, using: &generator))"
        switch Int.random(in: 0..<(depth > 0 ? 7 : 4), using: &generator) {
        case 0: return #"{"required": ["\#(key)", "\#(key)"]}"#
        case 1: return #"{"properties": {"\#(key)": {"enum": ["x", "y"]}}, "required": ["\#(key)"]}"#
        case 2: return #"{"properties": {"\#(key)": false}}"#
        case 3: return #"{"properties": {"\#(key)": {"pattern": "(x{100}){9}"}}}"#
        case let kind:
            let word = ["allOf", "anyOf", "oneOf"][kind - 4]
            let parts = (0..<3).map { _ in condition(&generator, depth: depth - 1) }
            return #"{"not": {"\#(word)": [\#(parts.joined(separator: ","))]}}"#
        }
    }

    /// Red where each condition, or each check, has trials of its own: there are as many of them as a specification likes.
    @Test(arguments: UInt64(1)...(Mutation.isLong ? 8 : 3))
    func allConditionsOfAnExampleHaveBoundedTrials(seed: UInt64) throws {
        var generator = SplitMix64(seed: seed)
        let keys = (0..<4).map { #""k\#($0)": {"type": "string", "x-ui": {"hidden": true}}"# }.joined(separator: ",")
        let rules = (0..<40).map { _ in
            let forms = (0..<8).map { _ in Self.condition(&generator, depth: 2) }.joined(separator: ",")
            return #"{"oneOf": [\#(forms)]}"#
        }
        let fitting = try fitted(
            #"""
            "required": ["b"], "properties": {"b": {"type": "string"}, \#(keys)},
            "allOf": [\#(rules.joined(separator: ","))]
            """#)
        #expect(fitting.checks <= ExampleFitting.mostChecks)
        #expect(fitting.trials <= ExampleFitting.mostTrials)
    }
}
