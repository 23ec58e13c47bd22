import AppSpecification
import InputBounds
import JSONSchema
import TestInputs
import Testing

/// Old configurations on new apps, and new configurations on old apps: S4-BP-05, S4-BP-06, S4-BP-07.
struct SpecificationDifferenceTests {
    struct Example: CustomTestStringConvertible, Sendable {
        let before: String
        let after: String
        let path: String
        let message: String
        let breaksOld: Bool
        let breaksApps: Bool

        var testDescription: String { "\(before) -> \(after)" }

        init(_ before: String, _ after: String, at path: String, _ message: String, old: Bool, apps: Bool) {
            (self.before, self.after, self.path, self.message) = (before, after, path, message)
            (breaksOld, breaksApps) = (old, apps)
        }
    }

    static let examples = [
        Example("", #""k": {}"#, at: "k", "is new", old: false, apps: false),
        Example("", #""k": {"type": "string"}"#, at: "k", "is new", old: true, apps: false),
        Example(#""k": {}"#, "", at: "k", "is gone", old: false, apps: false),
        Example(
            #""k": {"type": "string"}"#, #""k": {"type": "integer"}"#, at: "k", "an integer instead of text", old: true,
            apps: true),
        Example(
            #""k": {"type": "integer"}"#, #""k": {"type": "number"}"#, at: "k", "a number instead of", old: false,
            apps: true),
        Example(
            #""k": {"type": "number"}"#, #""k": {"type": "integer"}"#, at: "k", "an integer instead", old: true,
            apps: false),
        Example(
            #""k": {"minimum": 1}"#, #""k": {"minimum": 2}"#, at: "k", "minimum is narrower", old: true, apps: false),
        Example(#""k": {"maximum": 1}"#, #""k": {"maximum": 2}"#, at: "k", "maximum is wider", old: false, apps: true),
        Example(#""k": {"maximum": 1}"#, #""k": {}"#, at: "k", "maximum is wider", old: false, apps: true),
        Example(
            #""k": {}"#, #""k": {"exclusiveMinimum": 1}"#, at: "k", "exclusiveMinimum is narrower", old: true,
            apps: false),
        Example(
            #""k": {"exclusiveMaximum": 2}"#, #""k": {"exclusiveMaximum": 1}"#, at: "k", "is narrower", old: true,
            apps: false),
        Example(
            #""k": {"maxLength": 5}"#, #""k": {"maxLength": 4}"#, at: "k", "maxLength is narrower", old: true,
            apps: false),
        Example(
            #""k": {"minItems": 5}"#, #""k": {"minItems": 4}"#, at: "k", "minItems is wider", old: false, apps: true),
        Example(
            #""k": {"x-maxBytes": 5}"#, #""k": {"x-maxBytes": 4}"#, at: "k", "maxBytes is narrower", old: true,
            apps: false),
        Example(
            #""k": {"x-minimum": "2026-01-01T00:00:00Z"}"#, #""k": {"x-minimum": "2027-01-01T00:00:00Z"}"#, at: "k",
            "not before is narrower", old: true, apps: false),
        Example(
            #""k": {"x-maximum": "2026-01-01T00:00:00Z"}"#, #""k": {"x-maximum": "2027-01-01T00:00:00Z"}"#, at: "k",
            "not after is wider", old: false, apps: true),
        Example(
            #""k": {"pattern": "a"}"#, #""k": {"pattern": "b"}"#, at: "k", "pattern changed", old: true, apps: true),
        Example(#""k": {}"#, #""k": {"multipleOf": 2}"#, at: "k", "multipleOf changed", old: true, apps: false),
        Example(#""k": {"uniqueItems": true}"#, #""k": {}"#, at: "k", "twice", old: false, apps: true),
        Example(
            #""k": {"enum": [1, 2]}"#, #""k": {"enum": [1]}"#, at: "k", "1 of the values are not", old: true,
            apps: false),
        Example(#""k": {"enum": [1]}"#, #""k": {"enum": [1, 2]}"#, at: "k", "1 more values", old: false, apps: true),
        Example(#""k": {}"#, #""k": {"enum": [1]}"#, at: "k", "only listed values", old: true, apps: false),
        Example(#""k": {"enum": [1]}"#, #""k": {}"#, at: "k", "any value", old: false, apps: true),
        Example(
            #""k": {"items": {"maximum": 3}}"#, #""k": {"items": {"maximum": 2}}"#, at: "k[]", "narrower", old: true,
            apps: false),
        Example(#""k": {"items": {}}"#, #""k": {}"#, at: "k", "not said any more", old: false, apps: true),
        Example(#""k": {}"#, #""k": {"items": {}}"#, at: "k", "is said now", old: true, apps: false),
        Example(#""k": {"default": 1}"#, #""k": {"default": 2}"#, at: "k", "default", old: false, apps: false),
        Example(#""k": {}"#, #""k": {"deprecated": true}"#, at: "k", "should not be used", old: false, apps: false),
        Example(#""k": {"not": {}}"#, #""k": {}"#, at: "k", "further rules changed (not)", old: true, apps: true),
        Example(
            #""k": {"properties": {"j": {}}}"#, #""k": {"properties": {"j": {}}, "required": ["j"]}"#, at: "k.j",
            "is required now", old: true, apps: false),
        Example(
            #""k": {"properties": {"j": {}}, "required": ["j"]}"#, #""k": {"properties": {"j": {}}}"#, at: "k.j",
            "is not required any more", old: false, apps: true),
        Example(
            #""k": {"properties": {"j": {}}, "required": ["j"]}"#, #""k": {"properties": {}}"#, at: "k.j", "is gone",
            old: false, apps: true),
        Example(
            #""k": {"properties": {}, "additionalProperties": false}"#,
            #""k": {"properties": {"j": {}}, "additionalProperties": false}"#, at: "k.j", "is new", old: false,
            apps: true),
        Example(
            #""k": {"properties": {}}"#, #""k": {"properties": {}, "additionalProperties": false}"#, at: "k",
            "refused now", old: true, apps: false),
        Example(
            #""k": {"properties": {}, "additionalProperties": false}"#, #""k": {"properties": {}}"#, at: "k",
            "ignored now", old: false, apps: true),
    ]

    @Test(arguments: examples) func aChangeSaysWhomItHurts(example: Example) throws {
        let changes = try Fixture.specification(keys: example.after)
            .changes(since: Fixture.specification(keys: example.before))
        let change = try #require(
            changes.first { $0.path == example.path && $0.message.contains(example.message) }, "\(changes)")
        #expect(change.breaksOldConfigurations == example.breaksOld)
        #expect(change.breaksOldApps == example.breaksApps)
    }

    @Test func theSameSpecificationHasNotChanged() throws {
        #expect(try Fixture.specification().changes(since: Fixture.specification()).isEmpty)
    }

    @Test func secretsErrorsAndExtensionsAreCompared() throws {
        let before = try Fixture.specification()
        let text = Fixture.text.replacing(
            #""identifier": "account", "purpose": "Signing in.", "required": true"#,
            with: #""identifier": "login", "required": true"#
        )
        .replacing(#""code": 100"#, with: #""code": 101"#).replacing(#""maximum": 9"#, with: #""maximum": 8"#)
        let changes = try Fixture.specification(text).changes(since: before)
        #expect(
            changes.map(\.message) == [
                "the password \"login\" is asked for", "the password \"account\" is not asked for any more",
                "error 100 is not documented any more", "maximum is narrower",
            ])
        #expect(changes.map(\.breaksOldConfigurations) == [true, false, false, true])
        #expect(changes[3].path == "com.example.fieldnotes.widget: count")
    }

    /// Where nothing is said to break, no configuration breaks: tried with many pairs and many configurations.
    @Test func whatIsSaidNotToBreakDoesNot() throws {
        var random = SplitMix64(seed: 8)
        var (safe, tried) = (0, 0)
        for _ in 0..<4_000 {
            let before = RandomKey.dictionary(&random, depth: 2)
            let after = Self.changed(before, &random)
            let (old, new) = (try Self.specification(before), try Self.specification(after))
            let changes = new.changes(since: old)
            let keepsConfigurations = !changes.contains { $0.breaksOldConfigurations }
            let keepsApps = !changes.contains { $0.breaksOldApps }
            for _ in 0..<4 {
                let configuration = RandomValue.any(after, &random)
                let (fitsOld, fitsNew) = (
                    old.schema.violations(of: configuration).isEmpty, new.schema.violations(of: configuration).isEmpty
                )
                if keepsConfigurations, fitsOld {
                    safe += 1
                    #expect(fitsNew, "\(changes) \(configuration)")
                }
                if keepsApps, fitsNew { #expect(fitsOld, "\(changes) \(configuration)") }
                tried += 1
            }
        }
        #expect(safe > 300, "of \(tried)")
    }

    private static func specification(_ key: SpecifiedKey) throws -> AppSpecification {
        try AppSpecification(app: SpecifiedApp(bundleIdentifier: "com.example.a"), configuration: key)
    }

    /// One thing of it changed by chance.
    private static func changed(_ key: SpecifiedKey, _ random: inout SplitMix64) -> SpecifiedKey {
        var key = key
        switch Int.random(in: 0..<7, using: &random) {
        case 0: key.isOpen.toggle()
        case 1:
            if !key.keys.isEmpty { key.keys.removeLast() }
        case 2:
            var new = RandomKey.any(&random, depth: 1)
            new.name = "key9"
            new.isRequired = Bool.random(using: &random)
            key.keys.append(new)
        default:
            guard let index = key.keys.indices.randomElement(using: &random) else { return key }
            if Bool.random(using: &random) {
                key.keys[index].isRequired.toggle()
            } else if key.keys[index].type == .dictionary {
                let required = key.keys[index].isRequired
                key.keys[index] = changed(key.keys[index], &random)
                key.keys[index].isRequired = required
            } else {
                var other = RandomKey.any(&random, depth: 1)
                (other.name, other.isRequired) = (key.keys[index].name, key.keys[index].isRequired)
                if Bool.random(using: &random) {
                    (other.type, other.item) = (key.keys[index].type, key.keys[index].item)
                }
                if other.type == key.keys[index].type { key.keys[index] = other }
            }
        }
        return key
    }
}

/// Values by chance, most of them near what a key allows.
enum RandomValue {
    static func any(_ key: SpecifiedKey, _ random: inout SplitMix64) -> PropertyListValue {
        guard Int.random(in: 0..<12, using: &random) > 0 else { return .string("anything") }
        switch key.type {
        case .dictionary:
            var entries: [String: PropertyListValue] = [:]
            for inner in key.keys where inner.isRequired || Bool.random(using: &random) {
                entries[inner.name] = any(inner, &random)
            }
            if Int.random(in: 0..<4, using: &random) == 0 { entries["key3"] = .integer(1) }
            return .dictionary(entries)
        case .array:
            let count = Int.random(in: 0...3, using: &random)
            return .array((0..<count).map { _ in key.item.first.map { any($0, &random) } ?? .integer(1) })
        case .integer: return .integer(Int64.random(in: 0...8, using: &random))
        case .real: return .real(Double.random(in: 0...8, using: &random))
        case .string, .any: return .string(["a", "b", "abc", ""].randomElement(using: &random) ?? "")
        default: return key.example
        }
    }
}
