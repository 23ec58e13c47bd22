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

    /// What a schema says behind its type, and the example that it has.
    static let conditions: [(schema: String, example: String)] = [
        // A required key is only allowed beside a value that is not the default.
        (
            #"""
            "required": ["mode", "url"],
            "properties": {"mode": {"type": "string", "enum": ["manual", "auto"], "default": "manual"},
              "url": {"type": "string"}, "port": {"type": "integer"}},
            "allOf": [{"if": {"not": {"properties": {"mode": {"const": "auto"}}, "required": ["mode"]}},
                "then": {"properties": {"url": false}}},
              {"if": {"properties": {"mode": {"const": "auto"}}, "required": ["mode"]},
                "then": {"properties": {"port": false}}}]
            """#, #"{"mode": "auto", "url": "url"}"#
        ),
        // A chain, the first of which is taken out before the second is looked at.
        (
            #"""
            "required": ["mode", "user"],
            "properties": {"mode": {"type": "string", "enum": ["manual", "auto"], "default": "manual"},
              "login": {"type": "string", "enum": ["none", "basic"], "default": "none"}, "user": {"type": "string"}},
            "allOf": [{"if": {"not": {"properties": {"mode": {"enum": ["auto"]}}, "required": ["mode"]}},
                "then": {"properties": {"login": false}}},
              {"if": {"not": {"properties": {"login": {"enum": ["basic"]}}, "required": ["login"]}},
                "then": {"properties": {"user": false}}}]
            """#, #"{"mode": "auto", "login": "basic", "user": "user"}"#
        ),
        // In a dictionary of a list.
        (
            #"""
            "properties": {"list": {"type": "array", "minItems": 1, "items": {"type": "object",
              "required": ["mode", "url"],
              "properties": {"mode": {"type": "string", "enum": ["manual", "auto"]}, "url": {"type": "string"}},
              "allOf": [{"if": {"properties": {"mode": {"const": "manual"}}, "required": ["mode"]},
                "then": {"properties": {"url": false}}}]}}}
            """#, #"{"list": [{"mode": "auto", "url": "url"}]}"#
        ),
        // In a dictionary of a dictionary, by a number that is not listed.
        (
            #"""
            "properties": {"inner": {"type": "object", "required": ["url"],
              "properties": {"level": {"type": "integer", "default": 0}, "url": {"type": "string"}},
              "if": {"not": {"properties": {"level": {"const": 3}}, "required": ["level"]}},
                "then": {"properties": {"url": false}}}}
            """#, #"{"inner": {"level": 3, "url": "url"}}"#
        ),
        // A key that examples leave out lets another be there.
        (
            #"""
            "required": ["b"], "properties": {"a": {"type": "boolean", "x-ui": {"hidden": true}}, "b": {"type": "string"}},
            "if": {"required": ["a"]}, "then": {}, "else": {"properties": {"b": false}}
            """#, #"{"a": false, "b": "b"}"#
        ),
        // The key that asks for what must not be there goes itself.
        (
            #"""
            "required": ["c"], "properties": {"a": {"type": "string"}, "b": {"type": "string"}, "c": {"type": "string"}},
            "dependentRequired": {"a": ["b"]},
            "if": {"required": ["c"]}, "then": {"properties": {"b": false}}
            """#, #"{"c": "c"}"#
        ),
        // Another value is wanted beside a key.
        (
            #"""
            "required": ["a", "b"], "properties": {"a": {"type": "string"}, "b": {"type": "string"}},
            "if": {"required": ["a"]}, "then": {"properties": {"b": {"enum": ["x", "y"]}}}
            """#, #"{"a": "a", "b": "x"}"#
        ),
        // Not both.
        (
            #"""
            "properties": {"a": {"type": "string"}, "b": {"type": "string"}}, "not": {"required": ["a", "b"]}
            """#, #"{"b": "b"}"#
        ),
        // Of several conditions none may hold.
        (
            #"""
            "required": ["url"], "properties": {"one": {"type": "boolean", "default": true},
              "two": {"type": "boolean", "default": true}, "url": {"type": "string"}},
            "if": {"anyOf": [{"properties": {"one": {"const": true}}, "required": ["one"]},
              {"properties": {"two": {"const": true}}, "required": ["two"]}]}, "then": {"properties": {"url": false}}
            """#, #"{"one": false, "two": false, "url": "url"}"#
        ),
    ]

    /// Red where a key stays that a condition forbids, or where what can be put right is left out with all around it.
    @Test(arguments: conditions)
    func aConditionIsMetByAnotherValueOfTheKeyItLooksAt(schema: String, example: String) throws {
        let specification = try specification(schema)
        let json = try JSONValue(parsing: Data(example.utf8), limits: .configuration)
        let wanted = try specification.configuration.propertyList(json)
        #expect(specification.example() == wanted)
        #expect(errors(of: specification) == [])
    }

    /// Red where the example of a published manifest is one that its own conditions refuse.
    @Test func anExampleOfAManifestFollowsItsConditions() throws {
        let manifest = try SpecificationFormat.read(Golden.data("vendors/conditions.plist")).value
        let example = manifest.example()
        #expect(example["mode"]?.string == "automatic")
        #expect(example["login"]?.string == "basic")
        #expect(example["host"] == nil)
        #expect(manifest.findings(in: example).filter { $0.severity == .error }.map(\.description) == [])
    }

    /// Every file that can be read has an example that it allows itself.
    @Test(arguments: ["vendors", "android", "appconfig-xml", "written"])
    func theExampleOfEachFileIsOneThatItAllows(folder: String) throws {
        var read = 0
        for name in Golden.inputs(folder) {
            let data = try Golden.data(name)
            // Some name no app; some are there for what is wrong with them.
            let file =
                (try? SpecificationFormat.read(data))
                ?? (try? SpecificationFormat.read(data, bundleIdentifier: "com.example.notes"))
            guard let specification = file?.value else { continue }
            read += 1
            let faults = specification.findings(in: specification.example()).filter { $0.severity == .error }
            #expect(faults.isEmpty, "\(name): \(faults.map(\.description))")
        }
        #expect(read > 0)
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
