import InputBounds
import JSONSchema

/// Puts right or leaves out defaults, examples and values to choose from that a schema does not allow itself.
struct SchemaValues {
    var notes: ConversionNotes
    private var keys: SchemaKeys

    /// Looks at a document of 2020-12; `notes` go on.
    init(of document: JSONValue, notes: ConversionNotes) {
        keys = SchemaKeys(document)
        self.notes = notes
    }

    mutating func mended(_ schema: JSONValue, at path: SpecifiedPath) -> JSONValue {
        guard case .object(var keywords) = schema else { return schema }
        keywords = SchemaKeywords.mapped(keywords, at: path) { mended($0, at: $1) }
        let isLimited = keywords["enum"] != nil || keywords["const"] != nil
        guard keywords["default"] != nil || keywords["examples"]?.array?.isEmpty == false || isLimited else {
            return .object(keywords)
        }
        var allowed = keys.key(.object(keywords))
        if isLimited {
            let before = allowed.choices
            notes.mendChoices(of: &allowed, at: path)
            if allowed.choices != before { Self.write(allowed.choices, into: &keywords) }
        }
        // What it refers to may have a default of its own, which is looked at where it stands.
        if keywords["default"] == nil { allowed.defaultValue = nil }
        if keywords["examples"] == nil { allowed.examples = [] }
        let before = allowed
        notes.mendOwnValues(of: &allowed, at: path)
        if allowed.type == .any { leaveOutValues(of: &allowed, under: keywords, at: path) }
        if allowed.defaultValue != before.defaultValue { keywords["default"] = allowed.defaultValue }
        if allowed.examples != before.examples {
            keywords["examples"] = allowed.examples.isEmpty ? nil : .array(allowed.examples)
        }
        if let variable = allowed.variable, before.variable == nil {
            keywords["x-variable"] = .object(
                ["scope": .string(variable.scope), "name": .string(variable.name)])
        }
        return .object(keywords)
    }

    private static func write(_ choices: [SpecifiedChoice]?, into keywords: inout [String: JSONValue]) {
        guard keywords["enum"] != nil else {
            keywords["const"] = choices?.first?.value
            return
        }
        keywords["enum"] = choices.map { .array($0.map(\.value)) }
        guard keywords["x-enum-titles"] != nil else { return }
        keywords["x-enum-titles"] = choices.map { .array($0.map { $0.title.map(JSONValue.string) ?? .null }) }
    }

    /// Of a key of several types or forms nothing is put right: what is of none of them is left out.
    private mutating func leaveOutValues(
        of key: inout SpecifiedKey, under keywords: [String: JSONValue], at path: SpecifiedPath
    ) {
        // One that refers to what stands elsewhere is none for itself.
        guard let rules = try? JSONSchema(.object(keywords)) else { return }
        let plain = SpecifiedKey("", .any)
        let isAllowed = { (value: JSONValue) -> Bool in
            // One of its forms may be a date, which is a text in JSON alone.
            if rules.violations(of: value, most: 1).isEmpty { return true }
            guard let list = try? plain.propertyList(value) else { return false }
            return rules.violations(of: list, most: 1).isEmpty
        }
        let reason = "it is left out, because the key does not allow it"
        if let value = key.defaultValue, !isAllowed(value) {
            key.defaultValue = nil
            notes.lose(path, "default", reason)
        }
        let kept = key.examples.filter(isAllowed)
        guard kept.count < key.examples.count else { return }
        key.examples = kept
        notes.lose(path, "examples", reason)
    }
}
