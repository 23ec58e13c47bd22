import InputBounds

extension ManifestReader {
    /// Says what a manifest makes depend on other keys as `if` and `then` of the whole configuration.
    mutating func readConditions(of key: SpecifiedKey, _ words: inout ManifestWords, at path: SpecifiedPath) {
        for (word, outcome) in [("pfm_conditionals", required(key.name)), ("pfm_exclude", absent(key.name))] {
            guard let entries = words.list(word) else { continue }
            guard path.steps.count == 1 else {
                notes.lose(path, word, "conditions are kept for keys that lie in no other")
                continue
            }
            var cases: [JSONValue] = []
            for entry in entries {
                if word == "pfm_conditionals", entry["pfm_require"] == nil {
                    notes.lose(path, word, "a condition that requires nothing")
                } else if let condition = all(of: entry["pfm_target_conditions"]?.array ?? []) {
                    cases.append(condition)
                } else {
                    notes.lose(path, word, "a condition that cannot be said of this configuration alone")
                }
            }
            guard let first = cases.first else { continue }
            rules.append(
                .object(["if": cases.count == 1 ? first : .object(["anyOf": .array(cases)]), "then": outcome]))
        }
    }

    private func all(of conditions: [PropertyListValue]) -> JSONValue? {
        let schemas = conditions.map(schema)
        guard let first = schemas.first, !schemas.contains(where: { $0 == nil }) else { return nil }
        return schemas.count == 1 ? first : .object(["allOf": .array(schemas.compactMap(\.self))])
    }

    /// What holds where one condition does.
    ///
    /// A key that is not there has none of the values, and all that are not listed.
    private func schema(_ condition: PropertyListValue) -> JSONValue? {
        guard let target = condition["pfm_target"]?.string, !target.contains("."), !controls.contains(target),
            condition.dictionary?.count == 2
        else {
            return nil
        }
        if let isPresent = condition["pfm_present"]?.bool {
            return isPresent ? required(target) : not(required(target))
        }
        if let list = condition["pfm_range_list"].flatMap(values) { return has(target, ["enum": list]) }
        if let list = condition["pfm_n_range_list"].flatMap(values) { return not(has(target, ["enum": list])) }
        if let list = condition["pfm_contains_any"].flatMap(values) {
            return has(target, ["type": .string("array"), "contains": .object(["enum": list])])
        }
        if let list = condition["pfm_n_contains_any"].flatMap(values) {
            return not(has(target, ["type": .string("array"), "contains": .object(["enum": list])]))
        }
        return nil
    }

    private func values(_ list: PropertyListValue) -> JSONValue? {
        list.array.map { .array($0.map(JSONValue.init(describing:))) }
    }

    private func has(_ key: String, _ schema: [String: JSONValue]) -> JSONValue {
        .object(["properties": .object([key: .object(schema)]), "required": .array([.string(key)])])
    }

    private func required(_ key: String) -> JSONValue { .object(["required": .array([.string(key)])]) }
    private func absent(_ key: String) -> JSONValue { .object(["properties": .object([key: .boolean(false)])]) }
    private func not(_ schema: JSONValue) -> JSONValue { .object(["not": schema]) }
}
