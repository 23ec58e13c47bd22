import InputBounds
import JSONSchema

extension DraftReader {
    mutating func readParts(_ keywords: inout [String: JSONValue], at path: SpecifiedPath) {
        let rest = keywords.removeValue(forKey: "additionalItems")
        if keywords["items"]?.array != nil {
            keywords["prefixItems"] = keywords["items"]
            keywords["items"] = rest
        } else if rest != nil {
            notes.warn(path, "additionalItems", "it means nothing where all items have one schema")
        }
        guard let dependencies = keywords.removeValue(forKey: "dependencies")?.object else { return }
        var (required, schemas): ([String: JSONValue], [String: JSONValue]) = ([:], [:])
        for (name, value) in dependencies {
            switch value {
            case .array: required[name] = value
            case .string: required[name] = .array([value])
            default: schemas[name] = modern(value, at: path)
            }
        }
        merge(required, into: "dependentRequired", &keywords)
        merge(schemas, into: "dependentSchemas", &keywords)
    }

    private func merge(_ entries: [String: JSONValue], into keyword: String, _ keywords: inout [String: JSONValue]) {
        guard !entries.isEmpty else { return }
        keywords[keyword] = .object((keywords[keyword]?.object ?? [:]).merging(entries) { own, _ in own })
    }

    mutating func readPatterns(_ keywords: inout [String: JSONValue], at path: SpecifiedPath) {
        if let pattern = keywords["pattern"]?.string {
            keywords["pattern"] = notes.pattern(pattern, path).map(JSONValue.string)
        }
        guard let patterns = keywords["patternProperties"]?.object else { return }
        let kept = patterns.filter { pattern, _ in
            (try? JSONSchema(.object(["pattern": .string(pattern)]))) != nil
        }
        guard kept.count < patterns.count else { return }
        for pattern in patterns.keys.sorted() where kept[pattern] == nil {
            notes.losePattern(pattern, path, "patternProperties")
        }
        keywords["patternProperties"] = .object(kept)
    }

    /// What forms say of keys.
    mutating func readForm(_ keywords: inout [String: JSONValue], at path: SpecifiedPath) {
        for word in ["property_order", "propertyOrder"] {
            guard let order = keywords.removeValue(forKey: word) else { continue }
            if order.int != nil { keywords["x-order"] = order } else { notes.lose(path, word, "it is no integer") }
        }
        guard var options = keywords["options"]?.object else { return }
        if let titles = options["enum_titles"]?.array {
            options["enum_titles"] = nil
            if titles.count == keywords["enum"]?.array?.count {
                keywords["x-enum-titles"] = .array(titles)
            } else {
                notes.lose(path, "x-enum-titles", "there are not as many titles as values")
            }
        }
        if options["hidden"]?.bool == true {
            options["hidden"] = nil
            keywords["x-ui"] = .object(
                (keywords["x-ui"]?.object ?? [:]).merging(["hidden": .boolean(true)]) { _, new in new })
        }
        if let text = options["infoText"]?.string, keywords["description"] == nil {
            options["infoText"] = nil
            keywords["description"] = .string(text)
        }
        keywords["options"] = options.isEmpty ? nil : .object(options)
    }
}
