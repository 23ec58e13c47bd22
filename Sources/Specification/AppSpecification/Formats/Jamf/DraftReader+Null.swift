import InputBounds

extension DraftReader {
    /// Reads "null or a value", which forms call "Not Configured", as a value that need not be there.
    ///
    /// A property list has no null: what may be null is left out.
    mutating func liftNull(_ keywords: inout [String: JSONValue], at path: SpecifiedPath) {
        if keywords.removeValue(forKey: "nullable") != nil {
            notes.warn(path, "nullable", "a property list has no null; the key may be left out")
        }
        liftNullFromValues(&keywords, at: path)
        for word in ["anyOf", "oneOf"] {
            guard let forms = keywords[word]?.array else { continue }
            let others = forms.filter { !Self.isNull($0) }
            guard others.count < forms.count else { continue }
            notes.warn(path, word, "null stands for \"not configured\": the key may be left out, or has the other form")
            keywords[word] = others.isEmpty ? nil : .array(others)
            if others.count == 1 { take(others[0], of: word, into: &keywords, at: path) }
        }
    }

    /// Takes the only form that is left for the key itself, unless it says again what the key says.
    private mutating func take(
        _ form: JSONValue, of word: String, into keywords: inout [String: JSONValue], at path: SpecifiedPath
    ) {
        guard case .object(var inner) = form else {
            if form == .boolean(true) { keywords[word] = nil }
            return
        }
        let rules = inner.filter { !Self.words.contains($0.key) && $0.key != word }
        let isSaidTwice = rules.contains { keyword, value in keywords[keyword].map { $0 != value } ?? false }
        guard !isSaidTwice else { return }
        keywords[word] = nil
        if let title = inner["title"]?.string, Self.formTitles.contains(title.lowercased()) { inner["title"] = nil }
        for (keyword, value) in inner.sorted(by: { $0.key < $1.key }) {
            if let own = keywords[keyword], own != value {
                notes.lose(path, keyword, "the key says another, which counts; that of its form is left out")
            } else {
                keywords[keyword] = value
            }
        }
        // A form may be "null or a value" itself.
        liftNull(&keywords, at: path)
    }

    private mutating func liftNullFromValues(_ keywords: inout [String: JSONValue], at path: SpecifiedPath) {
        guard let values = keywords["enum"]?.array, values.contains(.null), values.contains(where: { !$0.isNull })
        else {
            return
        }
        notes.warn(path, "enum", "a property list has no null; it is left out")
        let kept = values.indices.filter { !values[$0].isNull }
        keywords["enum"] = .array(kept.map { values[$0] })
        if let titles = keywords["x-enum-titles"]?.array, titles.count == values.count {
            keywords["x-enum-titles"] = .array(kept.map { titles[$0] })
        }
        guard var options = keywords["options"]?.object, let titles = options["enum_titles"]?.array,
            titles.count == values.count
        else { return }
        options["enum_titles"] = .array(kept.map { titles[$0] })
        keywords["options"] = .object(options)
    }

    // Keywords for people: where both have one, the key's own counts.
    private static let words: Set<String> = [
        "title", "description", "default", "examples", "$comment", "deprecated", "readOnly", "writeOnly", "options",
        "links", "property_order", "propertyOrder", "infoText",
    ]

    private static let formTitles: Set = ["configured", "not configured", "null"]

    // MARK: What may be null

    /// Whether a schema is of null alone.
    static func isNull(_ schema: JSONValue) -> Bool {
        if schema["type"]?.string == "null" || schema["const"]?.isNull == true { return true }
        if let types = schema["type"]?.array, !types.isEmpty { return types.allSatisfy { $0.string == "null" } }
        if let values = schema["enum"]?.array, !values.isEmpty { return values.allSatisfy(\.isNull) }
        return false
    }

    /// Whether null is one of the values of a schema, as far as it says so itself.
    static func allowsNull(_ schema: JSONValue) -> Bool {
        if schema["nullable"]?.bool == true || schema["type"]?.array?.contains(.string("null")) == true { return true }
        let forms = (schema["anyOf"]?.array ?? []) + (schema["oneOf"]?.array ?? [])
        return forms.contains(where: isNull) || (schema["enum"]?.array ?? []).contains(.null)
    }
}
