import Foundation
import InputBounds
import TestInputs

/// Specifications and configurations that nobody would write by hand.
struct RandomConfiguration {
    private var random: SplitMix64

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    private static let texts = [
        "", " ", "a", "ü 🐦", "<b>&amp;\"'", "two\nlines", "\nfirst is empty", "carriage\r\nreturn", "=", "1", "true",
        "bell\u{7}", "\tcell", "${device.serialNumber}", "e\u{301}", "</textarea>",
    ]
    private static let names = ["a", "b", "server", "url", "x/y", "p.q", "!", "~1", "ü", "a b", "\"", "#0", "*1"]

    private mutating func oneOf<Element>(_ all: [Element]) -> Element {
        all[Int.random(in: 0..<all.count, using: &random)]
    }

    private mutating func chance(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &random) < percent }

    /// A specification of some app.
    mutating func specification() -> JSONValue {
        guard case .object(var document) = dictionary(depth: 0) else { return .null }
        document["x-app"] = .object(["bundleIdentifier": .string("com.example.app")])
        return .object(document)
    }

    private mutating func dictionary(depth: Int) -> JSONValue {
        var properties: [String: JSONValue] = [:]
        for _ in 0..<Int.random(in: 0...6, using: &random) { properties[oneOf(Self.names)] = key(depth: depth + 1) }
        var schema: [String: JSONValue] = ["type": .string("object"), "properties": .object(properties)]
        if chance(30) { schema["additionalProperties"] = key(depth: depth + 1) }
        if chance(50) {
            schema["required"] = .array(properties.keys.sorted().filter { _ in chance(40) }.map(JSONValue.string))
        }
        return .object(schema)
    }

    private mutating func key(depth: Int) -> JSONValue {
        let kind = Int.random(in: 0..<(depth > 3 ? 8 : 11), using: &random)
        var schema: [String: JSONValue]
        switch kind {
        case 0: schema = ["type": .string("string")]
        case 1: schema = ["type": .string("string"), "minLength": .integer(1)]
        case 2: schema = ["type": .string("integer")]
        case 3: schema = ["type": .string("number")]
        case 4: schema = ["type": .string("boolean")]
        case 5: schema = ["type": .string("string"), "format": .string("date-time")]
        case 6: schema = ["type": .string("string"), "contentEncoding": .string("base64")]
        case 7: schema = [:]
        case 8: schema = ["type": .string("array"), "items": key(depth: depth + 1)]
        default:
            guard case .object(let inner) = dictionary(depth: depth) else { return .null }
            schema = inner
        }
        if kind < 2, chance(30) { schema["enum"] = .array(["", "a", "b", "c", "d", "e", "1"].map(JSONValue.string)) }
        if kind == 2, chance(30) { schema["enum"] = .array([1, 2, 3].map(JSONValue.integer)) }
        if chance(10) { schema["x-ui"] = .object(["hidden": .boolean(true)]) }
        if chance(10) { schema["x-sensitive"] = .boolean(true) }
        if chance(20) { schema["title"] = .string(oneOf(Self.texts)) }
        return .object(schema)
    }

    /// A configuration that follows the specification often, and sometimes does not.
    mutating func value(of schema: JSONValue, depth: Int = 0) -> PropertyListValue {
        guard !chance(depth == 0 ? 0 : 8) else { return anything(depth: depth) }
        switch schema["type"]?.string {
        case "object":
            var entries: [String: PropertyListValue] = [:]
            for (name, inner) in (schema["properties"]?.object ?? [:]).sorted(by: { $0.key < $1.key }) where chance(70)
            {
                entries[name] = value(of: inner, depth: depth + 1)
            }
            if chance(40) {
                entries["typed " + oneOf(Self.names)] = value(
                    of: schema["additionalProperties"] ?? .object([:]), depth: depth + 1)
            }
            return .dictionary(entries)
        case "array":
            return .array(
                (0..<Int.random(in: 0...4, using: &random)).map { _ in
                    value(of: schema["items"] ?? .object([:]), depth: depth + 1)
                })
        case "integer": return chance(20) ? .unsigned(UInt64.max) : .integer(Int64.random(in: -5...5, using: &random))
        case "number": return .real(oneOf([0, -0.0, 1, 2.5, 1e300, -1e-7, .infinity, .nan]))
        case "boolean": return .boolean(chance(50))
        case "string" where schema["format"] != nil:
            return .date(Date(timeIntervalSince1970: Double(Int.random(in: -99_999...999_999_999, using: &random))))
        case "string" where schema["contentEncoding"] != nil:
            return .data(Data((0..<Int.random(in: 0...9, using: &random)).map { UInt8($0 * 31) }))
        case "string": return .string(oneOf(Self.texts))
        default: return anything(depth: depth)
        }
    }

    private mutating func anything(depth: Int) -> PropertyListValue {
        switch Int.random(in: 0..<(depth > 4 ? 6 : 8), using: &random) {
        case 0: .string(oneOf(Self.texts))
        case 1: .integer(7)
        case 2: .real(0.5)
        case 3: .boolean(true)
        case 4: .date(Date(timeIntervalSince1970: 1))
        case 5: .data(Data([1, 2, 3]))
        case 6: .array((0..<Int.random(in: 0...3, using: &random)).map { _ in anything(depth: depth + 1) })
        default: .dictionary([oneOf(Self.names): anything(depth: depth + 1)])
        }
    }
}
