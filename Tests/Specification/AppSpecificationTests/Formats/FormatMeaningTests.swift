import AppSpecification
import Foundation
import InputBounds
import JSONSchema
import Testing

/// What the keywords of foreign formats ask of configurations, checked with examples.
struct FormatMeaningTests {
    private func read(_ path: String) throws -> AppSpecification {
        try SpecificationFormat.read(Golden.data(path)).value
    }

    private func allows(_ specification: AppSpecification, _ configuration: String) throws -> Bool {
        let value = try JSONValue(parsing: Data(configuration.utf8), limits: .configuration)
        return specification.schema.violations(of: value).isEmpty
    }

    @Test(arguments: [
        (#"{}"#, true), (#"{"mode": "basic"}"#, false), (#"{"mode": "basic", "host": "x"}"#, true),
        (#"{"mode": "off", "host": "x"}"#, false), (#"{"host": "x"}"#, true), (#"{"host": "x", "port": 1}"#, false),
        (#"{"mode": "full", "host": "x", "port": 1}"#, true), (#"{"mode": "basic", "host": "x", "port": 1}"#, false),
        (#"{"tags": ["x"], "port": 1}"#, false), (#"{"tags": ["y"], "port": 1}"#, true),
        (#"{"proxy": "x"}"#, false), (#"{"proxy": "x", "host": "y"}"#, true),
    ])
    func conditionsOfAManifestHold(configuration: String, isAllowed: Bool) throws {
        #expect(try allows(read("profile-manifest/conditions.plist"), configuration) == isAllowed)
    }

    @Test(arguments: [
        (#"{"port": 0}"#, false), (#"{"port": 1}"#, true), (#"{"port": 65535}"#, true), (#"{"port": 65536}"#, false),
        (#"{"odd": 1}"#, false), (#"{"definitions": {"x": 1}}"#, false), (#"{"definitions": {"x": true}}"#, true),
    ])
    func schemasOfDraft4Hold(configuration: String, isAllowed: Bool) throws {
        #expect(try allows(read("json-schema/draft-4.json"), configuration) == isAllowed)
    }

    @Test(arguments: [
        (#"{"pair": ["a", 1]}"#, false), (#"{"pair": ["a", 1], "list": [], "named": "x"}"#, true),
        (#"{"pair": ["a", 1, 2], "list": [], "named": "x"}"#, false), (#"{"list": []}"#, false),
        (#"{"named": 1}"#, false),
        (#"{"beside": "long text"}"#, false), (#"{"beside": "text"}"#, true), (#"{"wrapped": 1}"#, false),
    ])
    func schemasOfDraft7Hold(configuration: String, isAllowed: Bool) throws {
        #expect(try allows(read("json-schema/draft-7-parts.json"), configuration) == isAllowed)
    }

    /// What draft 7 says otherwise comes back as it was.
    @Test func keywordsThatChangedTheirNamesSurviveDraft7() throws {
        let text = #"""
            {"$schema": "https://json-schema.org/draft/2020-12/schema", "x-app": {"bundleIdentifier": "com.example.app"},
             "type": "object", "$defs": {"a~/b": {"type": "string", "$anchor": "named"}, "$defs": {"type": "integer"}},
             "properties": {"$defs": {"$ref": "#/$defs/$defs"}, "a": {"$ref": "#/$defs/a~0~1b", "maxLength": 5},
              "b": {"$ref": "#named"}, "pair": {"prefixItems": [{"type": "string"}], "items": false},
              "titled": {"enum": [1, "two"], "x-enum-titles": ["One", "Two"], "x-ui": {"hidden": true}, "x-order": 2}},
             "dependentRequired": {"a": ["b"]}, "dependentSchemas": {"b": {"required": ["a"]}},
             "if": {"required": ["a"]}, "then": {"properties": {"a": {"exclusiveMinimum": 1, "const": "x"}}}}
            """#
        let specification = try AppSpecification(parsing: Data(text.utf8))
        let written = try SpecificationFormat.write(specification, as: .jamf)
        #expect(written.notes.isEmpty)
        for word in ["$defs\":{\"$defs", "prefixItems", "dependent", "2020-12", "x-"] {
            #expect(!String(decoding: written.value, as: UTF8.self).contains(word), "\(word)")
        }
        let read = try SpecificationFormat.read(written.value)
        #expect(read.notes.isEmpty)
        var expected = specification.document.object ?? [:]
        expected["$schema"] = nil
        #expect(read.value.document == .object(expected))
    }

    @Test func aReferenceAndRulesBesideItBothHoldInDraft7() throws {
        let text = ##"""
            {"x-app": {"bundleIdentifier": "a"}, "$defs": {"p": {"type": "integer"}},
             "properties": {"port": {"$ref": "#/$defs/p", "maximum": 9, "allOf": [{"minimum": 1}]}}}
            """##
        let written = try SpecificationFormat.write(AppSpecification(parsing: Data(text.utf8)), as: .jamf)
        let port = try JSONValue(parsing: written.value, limits: .configuration)["properties"]?["port"]
        #expect(port?["$ref"] == nil)
        #expect(port?["allOf"]?.array?.count == 2)
    }

    @Test func whatMeansNothingInDraft7IsListed() throws {
        let text = #"""
            {"x-app": {"bundleIdentifier": "a"}, "properties": {
             "a": {"type": "array", "contains": {}, "minContains": 2},
             "b": {"deprecated": true, "x-deprecated": {"since": "2"}, "x-ui": {"widget": "x"}, "x-own": 1}}}
            """#
        let written = try SpecificationFormat.write(AppSpecification(parsing: Data(text.utf8)), as: .jamf)
        #expect(
            written.losses.map { "\($0.path) \($0.keyword)" } == [
                "a minContains", "b x-ui.widget", "b deprecated", "b x-own",
            ])
    }
}
