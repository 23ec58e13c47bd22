import AppSpecification
import Foundation
import InputBounds
import JSONSchema
import TestInputs
import Testing

struct AppSpecificationTests {
    @Test func everyPartOfASpecificationIsRead() throws {
        let specification = try Fixture.specification()
        #expect(
            specification.app
                == SpecifiedApp(
                    bundleIdentifier: "com.example.fieldnotes", version: "3.1", title: "Field Notes",
                    description: "Notes that teams take outdoors.", platforms: ["linux": nil, "iOS": "18.0"]))
        let keys = specification.configuration.keys.map(\.name)
        #expect(keys == ["serverURL", "expires", "logo", "role", "syncMinutes", "syncSeconds", "teams"])
        let server = try #require(specification.configuration["serverURL"])
        #expect(server.type == .string && server.isRequired && server.bounds.maxLength == 200)
        let role = try #require(specification.configuration["role"])
        #expect(role.choices?.map(\.title) == ["Staff", "Team lead"])
        #expect(role.translations["de"]?.title == "Rolle")
        #expect(specification.configuration["expires"]?.type == .date)
        #expect(specification.configuration["logo"]?.type == .data)
        #expect(
            specification.configuration["syncSeconds"]?.deprecation
                == SpecifiedDeprecation(since: "2.0", until: "4.0", replacedBy: "syncMinutes"))
        let paths = specification.configuration.descendants.map(\.path)
        #expect(paths.contains("teams[].members[]"))
        let person = try #require(specification.configuration.descendants.first { $0.path == "teams[].members[]" })
        #expect(person.key.bounds.pattern == "^[a-z]+$")
        #expect(specification.secrets.map(\.isPrefix) == [false, true])
        #expect(specification.errors.map(\.code) == [100])
        #expect(specification.extensions["com.example.fieldnotes.widget"]?.configuration["count"]?.type == .integer)
        #expect(specification.samples.map(\.title) == ["A school"])
    }

    /// Canonical: the same bytes again, and what is not known stays.
    @Test func whatIsReadAndWrittenAgainIsTheSame() throws {
        let specification = try Fixture.specification()
        let bytes = specification.canonical()
        #expect(try AppSpecification(parsing: bytes).canonical() == bytes)
        #expect(specification.document["x-unknown"]?["kept"] == .boolean(true))
    }

    static let refused: [(text: String, place: String)] = [
        ("[]", ""), (#"{"type": "object"}"#, "/x-app"), (#"{"x-app": {}}"#, "/x-app/bundleIdentifier"),
        (#"{"x-app": {"bundleIdentifier": "a b"}}"#, "/x-app/bundleIdentifier"),
        (#"{"x-app": {"bundleIdentifier": "a", "version": 1}}"#, "/x-app/version"),
        (#"{"x-app": {"bundleIdentifier": "a"}, "x-secrets": {}}"#, "/x-secrets"),
        (#"{"x-app": {"bundleIdentifier": "a"}, "x-secrets": [{"kind": "key"}]}"#, "/x-secrets/0/kind"),
        (#"{"x-app": {"bundleIdentifier": "a"}, "x-secrets": [{"kind": "password"}]}"#, "/x-secrets/0"),
        (
            #"{"x-app": {"bundleIdentifier": "a"}, "x-secrets": [{"kind": "password", "identifier": "a", "prefix": "b"}]}"#,
            "/x-secrets/0"
        ),
        (#"{"x-app": {"bundleIdentifier": "a"}, "x-errors": [{"code": "1", "meaning": "x"}]}"#, "/x-errors/0/code"),
        (#"{"x-app": {"bundleIdentifier": "a"}, "x-errors": [{"code": 1}]}"#, "/x-errors/0/meaning"),
        (#"{"x-app": {"bundleIdentifier": "a"}, "x-feedback": [{}]}"#, "/x-feedback/0/key"),
        (#"{"x-app": {"bundleIdentifier": "a"}, "x-feedback": [{"key": "k", "purpose": 1}]}"#, "/x-feedback/0/purpose"),
        (#"{"x-app": {"bundleIdentifier": "a"}, "x-samples": [{}]}"#, "/x-samples/0/configuration"),
        (#"{"x-app": {"bundleIdentifier": "a"}, "x-extensions": {"b": {"minimum": ""}}}"#, "/x-extensions/b/minimum"),
        (
            #"{"x-app": {"bundleIdentifier": "a"}, "x-extensions": {"b": {"x-extensions": {"c": {}}}}}"#,
            "/x-extensions/b/x-extensions"
        ),
        (#"{"x-app": {"bundleIdentifier": "a"}, "properties": {"k": {"type": "text"}}}"#, "/properties/k/type"),
    ]

    @Test(arguments: refused) func whatIsNoSpecificationIsRefusedWithItsPlace(text: String, place: String) {
        let refusal = #expect(throws: SpecificationRefusal.self) { try Fixture.specification(text) }
        #expect(refusal?.place == place)
    }

    /// S4-FLOW-11: keys, types, bounds and words survive the way into a schema and back.
    @Test func keysComeBackFromTheSchemaTheyAreWrittenTo() throws {
        var random = SplitMix64(seed: 5)
        for _ in 0..<500 {
            var key = RandomKey.dictionary(&random, depth: 3)
            key.name = ""
            let document = JSONValue.object(key.schema)
            #expect(SpecifiedKey(reading: document) == key)
            _ = try JSONSchema(document)
        }
    }

    @Test func aSchemaThatHoldsItselfIsReadOnce() throws {
        let specification = try Fixture.specification(
            keys: ##""tree": {"$ref": "#/$defs/node"}"##,
            more:
                ##", "$defs": {"node": {"type": "object", "properties": {"below": {"type": "array", "items": {"$ref": "#/$defs/node"}}}}}"##
        )
        #expect(specification.configuration.descendants.map(\.path) == ["tree", "tree.below", "tree.below[]"])
        #expect(specification.configuration.descendants.last?.key.others == ["$ref"])
    }

    // MARK: Values

    @Test func datesAndDataInJSONBecomeThoseOfAPropertyList() throws {
        let specification = try Fixture.specification()
        let list = specification.example()
        #expect(list["expires"] == .date(Date(timeIntervalSince1970: 1_798_761_600)))
        #expect(list["logo"] == .data(Data([1, 2, 3])))
        let refusal = #expect(throws: ValueRefusal.self) {
            try specification.configuration.propertyList(
                .object(["teams": .array([]), "expires": .string("tomorrow")]))
        }
        #expect(refusal?.path.description == "expires")
    }

    /// S4-SPEC-01.
    @Test func anExampleThatIsMadeUpIsAllowed() throws {
        var random = SplitMix64(seed: 6)
        for _ in 0..<500 {
            let key = RandomKey.dictionary(&random, depth: 2)
            let schema = try JSONSchema(.object(key.schema))
            #expect(schema.violations(of: key.example).isEmpty, "\(key.example)")
        }
    }
}
