import AppSpecification
import Foundation
import InputBounds
import JSONSchema
import TestInputs
import Testing

/// Conditions between keys in a profile manifest and back: in another form, and they mean the same.
struct ManifestConditionTests {
    private static let keys = #"""
        {"mode": {"type": "string", "enum": ["off", "basic", "full"]}, "host": {"type": "string"},
         "port": {"type": "integer"}, "tags": {"type": "array", "items": {"type": "string"}},
         "until": {"type": "string", "format": "date-time"}, "a.b": {"type": "boolean"}, "any": {},
         "deep": {"type": "object", "properties": {"x": {"type": "string"}}}}
        """#

    private static func specification(_ rules: [JSONValue]) throws -> AppSpecification {
        let keys = try JSONValue(parsing: Data(Self.keys.utf8), limits: .configuration)
        return try AppSpecification(
            .object([
                "x-app": .object(["bundleIdentifier": .string("com.example.app")]), "properties": keys,
                "allOf": .array(rules),
            ]))
    }

    private static func parsed(_ text: String) throws -> JSONValue {
        try JSONValue(parsing: Data(text.utf8), limits: .configuration)
    }

    private static func lost(_ notes: [ConversionNote]) -> [String] {
        notes.filter { $0.kind == .loss && $0.keyword.hasPrefix("allOf") }.map(\.keyword)
    }

    /// S4-SPEC: random rules of all forms that a manifest has words for, checked with random configurations on both
    /// sides.
    @Test func whatConditionsMeanSurvivesAManifest() throws {
        var (allowed, refused) = (0, 0)
        for round in 0..<max(1, Mutation.iterations / 10) {
            var random = RandomConditions(seed: Mutation.seed &+ UInt64(round))
            let specification = try Self.specification((0..<random.count(1...3)).map { _ in random.rule() })
            let written = try SpecificationFormat.write(specification, as: .profileManifest)
            try #require(Self.lost(written.notes).isEmpty, "round \(round): \(written.notes)")
            let read = try SpecificationFormat.read(written.value)
            try #require(read.notes.isEmpty, "round \(round): \(read.notes)")
            for _ in 0..<20 {
                let configuration = random.configuration()
                let holds = specification.schema.violations(of: configuration).isEmpty
                let isSame = read.value.schema.violations(of: configuration).isEmpty == holds
                try #require(isSame, "round \(round): \(configuration) of \(specification.document)")
                if holds { allowed += 1 } else { refused += 1 }
            }
        }
        #expect(allowed > 0 && refused > 0)
    }

    @Test(arguments: [
        #"{"if": {"required": ["mode"]}, "then": {"required": ["unknown"]}}"#,
        #"{"if": {"required": ["unknown"]}, "then": {"required": ["host"]}}"#,
        #"{"if": {"required": ["a.b"]}, "then": {"required": ["host"]}}"#,
        #"{"if": {"required": ["any"]}, "then": {"required": ["host"]}}"#,
        #"{"if": {"required": ["mode"]}, "then": {}}"#,
        #"{"if": {"required": ["mode"]}, "then": {"required": ["host"]}, "else": {"required": ["port"]}}"#,
        #"{"if": {"required": ["mode"]}, "then": {"properties": {"port": {"maximum": 9}}}}"#,
        #"{"if": {"required": ["mode"]}, "then": {"required": ["host"], "minProperties": 3}}"#,
        #"{"if": {}, "then": {"required": ["host"]}}"#,
        #"{"if": {"properties": {"mode": {"const": "full"}}}, "then": {"required": ["host"]}}"#,
        #"{"if": {"required": ["port"], "properties": {"port": {"minimum": 9}}}, "then": {"required": ["host"]}}"#,
        #"{"if": {"required": ["port"], "properties": {"port": {"const": "9"}}}, "then": {"required": ["host"]}}"#,
        #"{"if": {"required": ["mode"], "properties": {"mode": {"const": "\u0007"}}}, "then": {"required": ["host"]}}"#,
        #"{"if": {"required": ["deep"], "properties": {"deep": {"required": ["x"]}}}, "then": {"required": ["host"]}}"#,
        #"{"if": {"anyOf": [{"required": ["mode"]}, {"minProperties": 2}]}, "then": {"required": ["host"]}}"#,
        #"{"if": {"not": {"required": ["mode", "port"]}}, "then": {"required": ["host"]}}"#,
        #"{"required": ["host"]}"#,
    ])
    func whatAManifestHasNoWordsForIsListed(rule: String) throws {
        let known = #"{"if": {"required": ["mode"]}, "then": {"required": ["host"]}}"#
        let specification = try Self.specification([Self.parsed(known), Self.parsed(rule)])
        let written = try SpecificationFormat.write(specification, as: .profileManifest)
        #expect(Self.lost(written.notes) == ["allOf[1]"])
        let read = try SpecificationFormat.read(written.value)
        #expect(try read.value.document["allOf"] == .array([Self.parsed(known)]))
    }

    /// Conditions of dictionaries inside have no place in a manifest, and are listed with their key.
    @Test func conditionsInsideOfAKeyAreListed() throws {
        let text = #"""
            {"x-app": {"bundleIdentifier": "a.b"}, "properties": {"in": {"type": "object",
             "properties": {"x": {"type": "string"}, "y": {"type": "string"}},
             "allOf": [{"if": {"required": ["x"]}, "then": {"required": ["y"]}}]}}}
            """#
        let specification = try AppSpecification(parsing: Data(text.utf8))
        let written = try SpecificationFormat.write(specification, as: .profileManifest)
        #expect(written.losses.contains { $0.path == [.key("in")] && $0.keyword == "allOf" })
    }
}

/// Rules that a manifest has words for, and configurations that they may be about.
private struct RandomConditions {
    private var random: SplitMix64

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    mutating func count(_ range: ClosedRange<Int>) -> Int { Int.random(in: range, using: &random) }

    mutating func rule() -> JSONValue {
        let outcome: JSONValue =
            switch count(0...2) {
            case 0: .object(["required": names(pick(Self.names))])
            case 1: .object(["properties": .object([pick(Self.names): .boolean(false)])])
            default: .object(["required": names("host"), "properties": .object(["port": .boolean(false)])])
            }
        let cases = (0..<count(1...2)).map { _ in conditions() }
        return .object(["if": cases.count == 1 ? cases[0] : .object(["anyOf": .array(cases)]), "then": outcome])
    }

    private mutating func conditions() -> JSONValue {
        let all = (0..<count(1...2)).map { _ in condition() }
        return all.count == 1 ? all[0] : .object(["allOf": .array(all)])
    }

    private mutating func condition() -> JSONValue {
        let name = pick(Self.names)
        var schema: [String: JSONValue] = ["required": names(name)]
        switch count(0...3) {
        case 0: break
        case 1: schema["properties"] = .object([name: .object(["const": value(of: name)])])
        case 2: schema["properties"] = .object([name: .object(["enum": .array([value(of: name), value(of: name)])])])
        default:
            let contains = JSONValue.object(["enum": .array([.string(pick(["x", "y"]))])])
            schema["required"] = names("tags")
            schema["properties"] = .object(["tags": .object(["type": .string("array"), "contains": contains])])
        }
        return count(0...2) == 0 ? .object(["not": .object(schema)]) : .object(schema)
    }

    mutating func configuration() -> JSONValue {
        .object(
            Dictionary(
                uniqueKeysWithValues: Self.names.compactMap { name in
                    count(0...1) == 0 ? nil : (name, value(of: name))
                }))
    }

    private static let names = ["mode", "host", "port", "tags", "until"]

    private mutating func value(of name: String) -> JSONValue {
        switch name {
        case "mode": .string(pick(["off", "basic", "full"]))
        case "port": .integer(Int64(count(1...2)))
        case "tags": .array(pick([[], ["x"], ["y"], ["x", "y"]]).map(JSONValue.string))
        case "until": .string(pick(["2026-01-01T00:00:00Z", "2027-01-01T00:00:00Z"]))
        default: .string(pick(["x", "y"]))
        }
    }

    private func names(_ name: String) -> JSONValue { .array([.string(name)]) }

    private mutating func pick<Value>(_ values: [Value]) -> Value {
        values[Int.random(in: 0..<values.count, using: &random)]
    }
}
