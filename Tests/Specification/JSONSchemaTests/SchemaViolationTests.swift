import Foundation
import InputBounds
import JSONSchema
import Testing

struct SchemaViolationTests {
    private func schema(_ text: String) throws -> JSONSchema {
        try JSONSchema(JSONValue(parsing: Data(text.utf8), limits: SchemaLimits.document))
    }

    private func told(_ schemaText: String, _ value: PropertyListValue) throws -> [String] {
        try schema(schemaText).violations(of: value).map(\.description)
    }

    @Test func aViolationNamesKeyTypeAndWhatIsAllowedAndNeverTheValue() throws {
        let text = #"""
            {"properties": {"servers": {"items": {"properties": {"port": {"type": "integer", "maximum": 65535}}}}}}
            """#
        let list: PropertyListValue = .dictionary([
            "servers": .array([
                .dictionary(["port": .integer(80)]), .dictionary(["port": .string("hunter2")]),
                .dictionary(["port": .integer(70_000)]),
            ])
        ])
        #expect(
            try told(text, list) == [
                "servers[1].port: must be an integer; found text",
                "servers[2].port: must be at most 65535; found an integer",
            ])
        let first = try #require(try schema(text).violations(of: list).first)
        #expect(first.rule == .type)
        #expect(first.place == "/properties/servers/items/properties/port/type")
    }

    /// What was probably meant is said only where it tells nothing of the value but its type.
    @Test func whatWasProbablyMeantIsSuggested() throws {
        #expect(try told(#"{"type": "integer"}"#, .string("15"))[0].hasSuffix("Write it as an integer, not as text"))
        #expect(try told(#"{"type": "boolean"}"#, .integer(1))[0].hasSuffix("Write true or false"))
        #expect(try told(#"{"type": "boolean"}"#, .string("YES"))[0].hasSuffix("Write it as a boolean, not as text"))
        #expect(try told(#"{"type": "array"}"#, .string("a"))[0].hasSuffix("Put it in a list"))
        #expect(try told(#"{"type": "string"}"#, .integer(5))[0].hasSuffix("Write it as text"))
        #expect(try told(#"{"enum": ["staff", "lead"]}"#, .string("Staf"))[0].hasSuffix(#"Did you mean "staff"?"#))
        #expect(try told(#"{"enum": ["staff", "lead"]}"#, .string("guest"))[0].hasSuffix("found text"))
        let closed = #"{"properties": {"serverURL": {}}, "additionalProperties": false}"#
        #expect(
            try told(closed, .dictionary(["severURL": .string("x")])) == [
                #"severURL: is not a key that is known here; found text. Did you mean "serverURL"?"#
            ])
        let needed = #"{"required": ["serverURL"]}"#
        #expect(
            try told(needed, .dictionary(["ServerUrl": .string("x")])) == [
                #"serverURL: must be there; found nothing. Is "ServerUrl" meant to be it?"#
            ])
    }

    /// Dates and data are types of a property list; JSON writes them as texts.
    @Test func datesAndDataAreTypesOfTheirOwnInAPropertyList() throws {
        let date = #"{"type": "string", "format": "date-time", "x-minimum": "2026-01-01T00:00:00Z"}"#
        let (early, late) = (Date(timeIntervalSince1970: 0), Date(timeIntervalSince1970: 1_800_000_000))
        #expect(try told(date, .date(late)).isEmpty)
        #expect(
            try told(date, .date(early)) == ["the configuration: must not be before 2026-01-01T00:00:00Z; found a date"]
        )
        #expect(try told(date, .string("2027-01-01T00:00:00Z"))[0].hasSuffix("Write it as a date, not as text"))
        #expect(try schema(date).violations(of: JSONValue.string("2027-01-01T00:00:00Z")).isEmpty)
        #expect(try schema(date).violations(of: JSONValue.string("2025-01-01T00:00:00Z")).count == 1)
        #expect(try told(#"{"type": "string"}"#, .date(late)).count == 1)
        let data = #"{"type": "string", "contentEncoding": "base64", "x-minBytes": 1, "x-maxBytes": 2}"#
        #expect(try told(data, .data(Data([1, 2]))).isEmpty)
        #expect(try told(data, .data(Data()))[0].contains("at least 1 bytes"))
        #expect(try told(data, .data(Data([1, 2, 3])))[0].contains("at most 2 bytes"))
        #expect(try schema(data).violations(of: JSONValue.string("AQID")).count == 1)
        #expect(try told(data, .string("AQ==")).count == 1)
    }

    /// Each schema's own objections would not say what to do; those of the nearest one do.
    @Test func ofSeveralFormsTheNearestOnesObjectionsAreTold() throws {
        let text = #"""
            {"anyOf": [{"required": ["a", "b", "c"]}, {"required": ["d"], "properties": {"d": {"type": "integer"}}}]}
            """#
        let found = try schema(text).violations(of: PropertyListValue.dictionary(["d": .string("x")]))
        #expect(found.map(\.rule) == [.anyOf])
        #expect(found[0].reasons.map(\.description) == ["d: must be an integer; found text"])
    }

    @Test func whatIsNoSchemaIsRefusedWithItsPlace() throws {
        let refused: [(schema: String, place: String)] = [
            (#"{"properties": {"a/b": {"minimum": "1"}}}"#, "/properties/a~1b/minimum"),
            (#"{"properties": {"a": {"pattern": "(?=x)"}}}"#, "/properties/a/pattern"),
            (#"{"type": "int"}"#, "/type"), (#"{"required": "a"}"#, "/required"), (#"{"minLength": -1}"#, "/minLength"),
            (#"{"multipleOf": 0}"#, "/multipleOf"), (#"{"allOf": []}"#, "/allOf"), (#"{"items": 3}"#, "/items"),
            (##"{"$ref": "#/$defs/none"}"##, "/$ref"), (#"{"x-minimum": "2026"}"#, "/x-minimum"),
            (##"{"$schema": "http://json-schema.org/draft-07/schema#"}"##, "/$schema"),
            (#"{"unevaluatedProperties": false}"#, "/unevaluatedProperties"), (#"{"items": [{}]}"#, "/items"),
            (#"{"$ref": "https://elsewhere.example/schema"}"#, "/$ref"), ("3", ""),
        ]
        for (text, place) in refused {
            let refusal = #expect(throws: SchemaRefusal.self) { try schema(text) }
            #expect(refusal?.place == place, "\(text)")
        }
    }

    // MARK: Bounds

    @Test(arguments: [
        ##"{"$ref": "#"}"##,
        ##"{"$defs": {"a": {"$ref": "#/$defs/b"}, "b": {"$ref": "#/$defs/a"}}, "$ref": "#/$defs/a"}"##,
        ##"{"anyOf": [{"$ref": "#"}, {"$ref": "#"}]}"##, ##"{"not": {"$ref": "#"}}"##,
    ])
    func aSchemaThatLeadsToItselfIsGivenUp(text: String) throws {
        #expect(try schema(text).violations(of: PropertyListValue.string("x")).map(\.rule) == [.effort])
    }

    /// Each level doubles what has to be looked at.
    @Test func aSchemaThatBranchesWithoutEndIsGivenUp() throws {
        let text = ##"""
            {"type": "array", "items": {"oneOf": [{"$ref": "#"}, {"$ref": "#", "minItems": 0}, {"$ref": "#"}]}}
            """##
        var value: PropertyListValue = .array([])
        for _ in 0..<60 { value = .array([value, value]) }
        #expect(try schema(text).violations(of: value, effort: 100_000).map(\.rule) == [.effort])
    }

    @Test func noMoreIsGatheredThanIsAskedFor() throws {
        let list = PropertyListValue.array(Array(repeating: .string("x"), count: 1_000))
        #expect(try schema(#"{"items": {"type": "integer"}}"#).violations(of: list, most: 7).count == 7)
    }

    @Test func numbersAreComparedExactly() throws {
        let big = Int64.max
        #expect(try told(#"{"maximum": 9223372036854775806}"#, .integer(big)).count == 1)
        #expect(try told(#"{"maximum": 9223372036854775807}"#, .integer(big)).isEmpty)
        #expect(try told(#"{"maximum": 9007199254740992.0}"#, .integer(9_007_199_254_740_993)).count == 1)
        #expect(try told(#"{"minimum": -0.5}"#, .integer(0)).isEmpty)
        #expect(try told(#"{"exclusiveMinimum": 0.5}"#, .integer(0)).count == 1)
        #expect(try told(#"{"maximum": 5}"#, .real(.nan)).count == 1)
        #expect(try told(#"{"type": "integer"}"#, .real(2)).isEmpty)
        #expect(try told(#"{"multipleOf": 0.01}"#, .real(0.07)).isEmpty)
        #expect(try told(#"{"const": 1}"#, .real(1)).isEmpty)
        // What Swift's `Int` has no room for is taken only where the key says so.
        #expect(try told(#"{"type": "integer"}"#, .unsigned(.max))[0].hasSuffix("found an integer above 63 bits"))
        #expect(try told(#"{"type": "integer", "maximum": 18446744073709551615}"#, .unsigned(.max)).isEmpty)
        #expect(try told(#"{"type": "number"}"#, .unsigned(.max)).isEmpty)
        #expect(try told(#"{"minimum": 9223372036854775807}"#, .unsigned(.max)).isEmpty)
    }
}
