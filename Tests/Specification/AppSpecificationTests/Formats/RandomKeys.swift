import AppSpecification
import Foundation
import InputBounds
import TestInputs

/// Makes trees of keys that say of everything something now and then.
struct RandomKeys {
    var random: SplitMix64
    private var depth = 0

    init(seed: UInt64) { random = SplitMix64(seed: seed) }

    /// A configuration as a specification reads it.
    mutating func specification() throws -> AppSpecification {
        var root = SpecifiedKey("", .dictionary)
        root.keys = keys(atMost: 8)
        if chance(8) { root.isOpen = false }
        if chance(8) { root.bounds.minProperties = 1 }
        // What a key says of itself it has to allow: readers leave out what it does not.
        root = root.withAllowedValues().key
        if chance(3) { root.conditions = conditions(among: root.keys.map(\.name)) }
        let app = SpecifiedApp(
            bundleIdentifier: ["com.example.notes", "com.example.notes-2", "notes"].randomElement(using: &random) ?? "",
            version: chance(3) ? "2.1" : nil, title: chance(2) ? word() : nil, description: chance(2) ? word() : nil,
            platforms: chance(3) ? ["macOS": "15.0", "Linux": chance(2) ? "24.04" : nil] : [:])
        let secrets = [SpecifiedSecret(kind: .password, identifier: "token")]
        return try AppSpecification(app: app, configuration: root, secrets: chance(3) ? secrets : [])
    }

    /// What has to hold between keys, as structs of apps say it.
    private mutating func conditions(among names: [String]) -> [JSONValue] {
        guard let one = names.randomElement(using: &random), let other = names.randomElement(using: &random) else {
            return []
        }
        var condition: [String: JSONValue] = ["required": .array([.string(one)])]
        if chance(2) {
            let value = JSONValue.string(word())
            condition["properties"] = .object([
                one: .object(chance(2) ? ["const": value] : ["enum": .array([value])])
            ])
        }
        let outcome: JSONValue =
            chance(2)
            ? .object(["required": .array([.string(other)])])
            : .object(["properties": .object([other: .boolean(false)])])
        return [.object(["if": .object(condition), "then": outcome])]
    }

    private mutating func keys(atMost count: Int) -> [SpecifiedKey] {
        var names: Set<String> = []
        for _ in 0..<Int.random(in: 0...count, using: &random) { names.insert(word()) }
        return names.sorted().map { key($0) }
    }

    private mutating func key(_ name: String) -> SpecifiedKey {
        depth += 1
        defer { depth -= 1 }
        var key = SpecifiedKey(name, SpecifiedType.allCases.randomElement(using: &random) ?? .string)
        if chance(5) { key.type = .string }
        if depth < 4 {
            if key.type == .dictionary { key.keys = keys(atMost: 4) }
            if key.type == .dictionary, chance(4) { key.values = [self.key("")] }
            if key.type == .array, !chance(6) { key.item = [self.key("")] }
        }
        describe(&key)
        place(&key)
        bound(&key)
        return key
    }

    private mutating func describe(_ key: inout SpecifiedKey) {
        if chance(2) { key.title = word() }
        if chance(2) { key.description = word() }
        if !key.name.isEmpty { key.isRequired = chance(3) }
        if chance(2) { key.defaultValue = value(of: chance(8) ? .any : key.type, key.item.first?.type) }
        if chance(6) {
            key.examples = (0..<Int.random(in: 1...2, using: &random)).map { _ in value(of: key.type, nil) }
        }
        if chance(4) {
            let titles = Int.random(in: 0...2, using: &random)
            key.choices = (0..<Int.random(in: 0...3, using: &random)).map { _ in
                let value = value(of: chance(12) ? .any : key.type, nil)
                return SpecifiedChoice(value: value, title: titles == 0 || titles == 1 && chance(2) ? nil : word())
            }
        }
        if chance(6) {
            key.deprecation = SpecifiedDeprecation(
                since: chance(2) ? "1.5" : nil, until: chance(2) ? "3.0" : nil, replacedBy: chance(3) ? word() : nil,
                note: chance(3) ? word() : nil)
        }
    }

    private mutating func place(_ key: inout SpecifiedKey) {
        if chance(6) { key.since = "1.2" }
        if chance(3), !key.name.isEmpty { key.order = Int.random(in: 0...9, using: &random) }
        if chance(4) { key.group = ["Network", "Look & feel"].randomElement(using: &random) }
        key.isHidden = chance(8)
        key.isSensitive = chance(8)
        if chance(3) {
            let scope = ["user", "device", "house"].randomElement(using: &random) ?? ""
            key.variable = SpecifiedVariable(
                scope: scope, name: ["emailAddress", "serialNumber", "colour"].randomElement(using: &random) ?? "")
        }
        for tag in ["de", "fr-CA", "en", "no tag"] where chance(tag == "no tag" ? 20 : 6) {
            key.translations[tag] = SpecifiedTranslation(title: word(), description: chance(2) ? word() : nil)
        }
    }

    private mutating func bound(_ key: inout SpecifiedKey) {
        let numbers: [JSONValue] = [.integer(5), .real(2.5), .integer(-3_000_000_000)]
        if chance(4) { key.bounds.minimum = numbers.randomElement(using: &random) }
        if chance(4) { key.bounds.maximum = numbers.randomElement(using: &random) }
        if chance(12) { key.bounds.exclusiveMinimum = .integer(1) }
        if chance(12) { key.bounds.multipleOf = .real(0.5) }
        if chance(4) { key.bounds.minLength = 2 }
        if chance(4) { key.bounds.maxLength = 5_000_000_000 }
        if chance(4) { key.bounds.pattern = Self.patterns.randomElement(using: &random) }
        if chance(12), key.type != .date { key.bounds.format = "uri" }
        if chance(4) { key.bounds.minItems = 1 }
        if chance(4) { key.bounds.maxItems = 9 }
        key.bounds.uniqueItems = chance(8)
        if chance(8) { key.bounds.minProperties = 1 }
        if chance(8) { key.bounds.maxBytes = 64 }
        if chance(5) { key.bounds.earliest = "2026-01-01T00:00:00Z" }
        if chance(5) { key.bounds.latest = "2030-12-31T23:59:59Z" }
        if key.type == .dictionary, key.values.isEmpty { key.isOpen = !chance(4) }
    }

    static let patterns = [
        "https://", "^https://.+$", "^a|b$", "^(?:a|b)$", "^(?:a)|(?:b)$", "x\\$", "^x\\$", "^x\\\\$", "[)|(]", "^[|]$",
        "^(?:[(]|\\))$", "^(a|b)$", "a&\"<b>'",
    ]

    private mutating func value(of type: SpecifiedType, _ item: SpecifiedType?) -> JSONValue {
        switch type {
        case .string: .string(word())
        case .integer: .integer([0, 15, -7, 4_000_000_000].randomElement(using: &random) ?? 0)
        case .real: [.real(0.25), .integer(3), .real(1e-7), .real(6.0)].randomElement(using: &random) ?? .null
        case .boolean: .boolean(chance(2))
        case .date: .string(chance(4) ? "2026-05-01T12:00:00.5+02:00" : "2026-05-01T12:00:00Z")
        case .data: .string(["AQID", "AQID", "no base64", "AQJ="].randomElement(using: &random) ?? "")
        case .array: .array((0..<Int.random(in: 0...2, using: &random)).map { _ in value(of: item ?? .string, nil) })
        case .dictionary: .object(["a": .integer(1)])
        case .any:
            // No null: a property list has none, and readers leave it out with a note.
            [.string("x"), .integer(1), .array([]), .boolean(true)].randomElement(using: &random) ?? .null
        }
    }

    private mutating func word() -> String {
        let words = [
            "role", "serverURL", "a.b", "with space", "Übung", "\"quoted\"", "<b>&amp;", "tab\there", "two\nlines",
            "back\\slash", "@string/x", "?attr", " edge ", "🐦", "x--y", "cr\rlf\r\n", "'", "a[0]", "n\\n",
        ]
        if chance(40) { return "bell\u{7}" }
        return (words.randomElement(using: &random) ?? "")
            + (chance(2) ? "\(Int.random(in: 0...9, using: &random))" : "")
    }

    private mutating func chance(_ one: Int) -> Bool { Int.random(in: 0..<one, using: &random) == 0 }
}
