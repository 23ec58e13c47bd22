import InputBounds

/// What published schemas write otherwise than JSON Schema does, and what is plainly meant.
extension DraftReader {
    private static let numbers = [
        "minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf", "minLength", "maxLength",
        "minItems", "maxItems", "minProperties", "maxProperties",
    ]
    private static let flags = [
        "exclusiveMinimum", "exclusiveMaximum", "uniqueItems", "deprecated", "readOnly", "writeOnly", "nullable",
        "additionalProperties",
    ]
    // Empty, these are written as lists by languages that do not tell the two apart.
    private static let objects = ["properties", "patternProperties", "$defs", "definitions", "dependencies", "options"]

    /// What a text says that stands where true or false is wanted.
    static func flag(_ value: JSONValue) -> Bool? {
        value.bool ?? value.string.flatMap { ScalarText.value($0, as: .boolean)?.value.bool }
    }

    /// Takes numbers, flags and words in another form for what they mean.
    mutating func readWriting(_ keywords: inout [String: JSONValue], at path: SpecifiedPath) {
        for keyword in Self.numbers {
            guard let text = keywords[keyword]?.string, let number = ScalarText.value(text, as: .real)?.value else {
                continue
            }
            keywords[keyword] = number
            notes.warn(path, keyword, "it is written as a text, and was put right")
        }
        for keyword in Self.flags {
            guard let value = keywords[keyword], value.string != nil, let flag = Self.flag(value) else { continue }
            keywords[keyword] = .boolean(flag)
            notes.warn(path, keyword, "it is written as a text, and was put right")
        }
        for keyword in Self.objects where keywords[keyword]?.array?.isEmpty == true {
            keywords[keyword] = .object([:])
            notes.warn(path, keyword, "it is written as an empty list, and was put right")
        }
        if let name = keywords["required"]?.string, Self.flag(.string(name)) == nil {
            keywords["required"] = .array([.string(name)])
            notes.warn(path, "required", "it is written as a text, and was put right")
        }
        if let word = keywords["type"]?.string, word != word.lowercased() {
            keywords["type"] = .string(word.lowercased())
            notes.warn(path, "type", "it is not written in small letters, and was put right")
        }
        for keyword in ["title", "description"] {
            guard let value = keywords[keyword], value.string == nil else { continue }
            keywords[keyword] = ScalarText.text(value).map(JSONValue.string)
            if keywords[keyword] == nil {
                notes.lose(path, keyword, "it is no text")
            } else {
                notes.warn(path, keyword, "it is no text, and was put right")
            }
        }
    }

    /// Reads what stands for the keys that an administrator chooses: of `{{key}}` their names, of `{{value}}` what lies
    /// under each.
    mutating func readChosenKeys(_ keywords: inout [String: JSONValue], at path: SpecifiedPath) {
        guard var properties = keywords["properties"]?.object else { return }
        let chosen = properties.keys.filter { KeyPlaceholder.word(in: $0) != nil }.sorted()
        guard !chosen.isEmpty else { return }
        notes.warn(path, "additionalProperties", "the administrator chooses the names of its keys")
        if keywords["additionalProperties"] == .boolean(false) { keywords["additionalProperties"] = nil }
        for name in chosen {
            guard let schema = properties.removeValue(forKey: name) else { continue }
            if KeyPlaceholder.word(in: name) == "key" {
                guard schema["enum"] != nil || schema["pattern"] != nil else { continue }
                notes.lose(path + .value, "propertyNames", "which names the keys may have is not kept")
            } else if keywords["additionalProperties"]?.object != nil {
                notes.lose(
                    path + .value, "additionalProperties", "its keys have several kinds of values; the first counts")
            } else {
                keywords["additionalProperties"] = schema
            }
        }
        keywords["properties"] = .object(properties)
        guard let required = keywords["required"]?.array else { return }
        let kept = required.filter { name in name.string.map { !chosen.contains($0) } ?? true }
        keywords["required"] = kept.isEmpty ? nil : .array(kept)
    }
}
