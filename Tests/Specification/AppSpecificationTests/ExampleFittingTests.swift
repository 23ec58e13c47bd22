import AppSpecification
import Foundation
import InputBounds
import Testing

/// Examples that are made of keys follow the rules between them.
struct ExampleFittingTests {
    /// What a schema says behind its type, and the keys that its example has.
    struct Rules: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let schema: String
        let keys: [String]

        init(_ name: String, keys: [String], _ schema: String) {
            (testDescription, self.schema, self.keys) = (name, schema, keys)
        }
    }

    private func specification(_ schema: String) throws -> AppSpecification {
        let text = #"{"x-app": {"bundleIdentifier": "com.example.notes"}, "type": "object", "# + schema + "}"
        return try AppSpecification(parsing: Data(text.utf8))
    }

    private func errors(of specification: AppSpecification) -> [String] {
        specification.findings(in: specification.example()).filter { $0.severity == .error }.map(\.description)
    }

    static let rules: [Rules] = [
        Rules(
            "one key is not wanted beside another", keys: ["a"],
            #"""
            "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
            "allOf": [{"if": {"required": ["a"]}, "then": {"properties": {"b": false}}}]
            """#),
        Rules(
            "each excludes the other", keys: ["a"],
            #"""
            "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
            "allOf": [{"if": {"required": ["a"]}, "then": {"properties": {"b": false}}},
              {"if": {"required": ["b"]}, "then": {"properties": {"a": false}}}]
            """#),
        Rules(
            "a hidden key is asked for", keys: ["a", "b"],
            #"""
            "properties": {"a": {"type": "string"}, "b": {"type": "integer", "x-ui": {"hidden": true}}},
            "allOf": [{"if": {"required": ["a"]}, "then": {"required": ["b"]}}]
            """#),
        Rules(
            "a deprecated key is asked for", keys: ["a", "b"],
            #"""
            "properties": {"a": {"type": "string"}, "b": {"type": "string", "deprecated": true}},
            "dependentRequired": {"a": ["b"]}
            """#),
        Rules(
            "nothing fits a key", keys: ["a"],
            #""properties": {"a": {"type": "string"}, "b": {"type": "string", "not": {}}}"#),
        Rules(
            "nothing fits a required key inside", keys: ["a"],
            #"""
            "properties": {"a": {"type": "string"}, "b": {"type": "object", "required": ["c"],
              "properties": {"c": {"type": "string", "not": {}}}}}
            """#),
        Rules(
            "nothing fits in a list", keys: ["a"],
            #"""
            "properties": {"a": {"type": "array", "items": {"type": "string", "not": {}}},
              "b": {"type": "array", "minItems": 1, "items": {"type": "string", "not": {}}}}
            """#),
        Rules(
            "one of several forms", keys: ["b"],
            #"""
            "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
            "oneOf": [{"properties": {"a": false}}, {"properties": {"a": false, "b": false}}]
            """#),
    ]

    /// Red where `spec example` writes what `spec validate` refuses.
    @Test(arguments: rules)
    func anExampleFollowsTheRulesBetweenKeys(rules: Rules) throws {
        let specification = try specification(rules.schema)
        #expect(specification.example().dictionary?.keys.sorted() == rules.keys)
        #expect(errors(of: specification) == [])
    }

    /// Red where a text of its title or name stands for a key of another form.
    @Test(arguments: [
        #""pattern": "^([0-9A-F]{2}:){5}([0-9A-F]{2})$""#, #""pattern": "^[a-z]*$", "minLength": 8"#,
        #""pattern": "^https?://.+$", "maxLength": 12"#, #""pattern": "^\\d+(\\.\\d+){1,2}$", "title": "Version""#,
    ])
    func anExampleMatchesThePatternOfItsKey(words: String) throws {
        let specification = try specification(
            #""required": ["a"], "properties": {"a": {"type": "string", "# + words + "}}")
        #expect(errors(of: specification) == [])
        #expect(specification.example()["a"]?.string?.isEmpty == false)
    }

    /// Rules that nothing follows come to an end, and leave the other keys.
    @Test func whatNothingFollowsComesToAnEnd() throws {
        let specification = try specification(
            #""required": ["a"], "properties": {"a": {"type": "string", "not": {}}, "b": {"type": "string"}}"#)
        #expect(specification.example()["b"] != nil)
    }
}
