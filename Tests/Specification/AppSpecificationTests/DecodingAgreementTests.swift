import AppSpecification
import Foundation
import InputBounds
import TestInputs
import Testing

/// What a specification calls valid the app has to be able to read, and what it calls of a wrong type the app refuses.
///
/// Foundation's decoder is what apps read with. What they check beyond types is theirs.
struct DecodingAgreementTests {
    private struct Configuration: Decodable {
        struct Server: Decodable {
            let host: String
            let port: Int?
        }

        let count: Int?
        let ratio: Double?
        let name: String?
        let isOn: Bool?
        let ends: Date?
        let logo: Data?
        let roles: [String]?
        let server: Server?
        let servers: [Server]?
        let limits: [String: Int]?
    }

    private func specification() throws -> AppSpecification {
        try Fixture.specification(
            keys: #"""
                "count": {"type": "integer"},
                "ratio": {"type": "number"}, "name": {"type": "string"}, "isOn": {"type": "boolean"},
                "ends": {"type": "string", "format": "date-time"},
                "logo": {"type": "string", "contentEncoding": "base64"},
                "roles": {"type": "array", "items": {"type": "string"}}, "server": {"$ref": "#/$defs/server"},
                "servers": {"type": "array", "items": {"$ref": "#/$defs/server"}},
                "limits": {"type": "object", "additionalProperties": {"type": "integer"}}
                """#,
            more: #"""
                , "$defs": {"server": {"type": "object", "required": ["host"],
                                       "properties": {"host": {"type": "string"}, "port": {"type": "integer"}}}}
                """#)
    }

    private func decodes(_ value: PropertyListValue) -> Bool {
        (try? PropertyListDecoder().decode(Configuration.self, from: value.xml())) != nil
    }

    private static let keys = [
        "count", "ratio", "name", "isOn", "ends", "logo", "roles", "server", "servers", "limits", "unknown",
    ]

    /// Values of every type, at the borders between them.
    private static let values: [PropertyListValue] = [
        .integer(0), .integer(1), .integer(-1), .integer(.max), .integer(.min), .unsigned(.max), .real(0), .real(2),
        .real(-0.0), .real(2.5), .real(1e15), .real(1e30), .real(.nan), .real(.infinity), .string(""), .string("1"),
        .string("true"), .string("2026-01-01T00:00:00Z"), .string("AQID"), .boolean(true), .boolean(false),
        .date(Date(timeIntervalSince1970: 0)), .date(Date(timeIntervalSince1970: 1_800_000_000)), .data(Data()),
        .data(Data([1, 2, 3])), .array([]), .array([.string("a")]), .array([.string("a"), .integer(1)]),
        .array([.array([])]), .array([.dictionary([:])]), .array([.dictionary(["host": .string("a")])]),
        .dictionary([:]), .dictionary(["host": .string("a")]), .dictionary(["host": .integer(1)]),
        .dictionary(["host": .string("a"), "port": .integer(80)]), .dictionary(["port": .integer(80)]),
        .dictionary(["host": .string("a"), "port": .string("80")]), .dictionary(["a": .integer(1), "b": .real(3)]),
    ]

    @Test func whatIsValidDecodesAndWhatIsNotThrows() throws {
        let specification = try specification()
        var valid = 0
        for key in Self.keys {
            for value in Self.values {
                let configuration = PropertyListValue.dictionary([key: value])
                let isValid = !specification.findings(in: configuration).contains { $0.severity == .error }
                #expect(isValid == decodes(configuration), "\(key): \(value)")
                if isValid { valid += 1 }
            }
        }
        #expect(valid > 50 && valid < Self.keys.count * Self.values.count - 50)
    }

    @Test func theSameHoldsForWholeConfigurations() throws {
        let specification = try specification()
        var random = SplitMix64(seed: 12)
        var valid = 0
        for _ in 0..<3_000 {
            var entries: [String: PropertyListValue] = [:]
            for _ in 0..<Int.random(in: 1...2, using: &random) {
                guard let key = Self.keys.randomElement(using: &random) else { continue }
                entries[key] = Self.values.randomElement(using: &random)
            }
            let configuration = PropertyListValue.dictionary(entries)
            let isValid = !specification.findings(in: configuration).contains { $0.severity == .error }
            #expect(isValid == decodes(configuration), "\(configuration)")
            if isValid { valid += 1 }
        }
        #expect(valid > 300)
    }
}
