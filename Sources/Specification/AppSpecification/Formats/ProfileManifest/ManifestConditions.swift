import InputBounds

/// What a manifest says of the conditions between the keys of a configuration; those it has no words for are listed.
///
/// `if` and `then` of the whole configuration become `pfm_conditionals` and `pfm_exclude` of the keys that are required or
/// not wanted then: the reverse of what `ManifestReader` makes of these.
struct ManifestConditions {
    /// What each key gets, by its name.
    private(set) var words: [String: [String: PropertyListValue]] = [:]
    private(set) var notes: [ConversionNote] = []

    private let keys: [String: SpecifiedKey]

    /// Writes the schemas of `allOf`; `keys` are those of the whole configuration that the manifest carries.
    init(_ schemas: [JSONValue], among keys: [SpecifiedKey]) {
        self.keys = Dictionary(keys.map { ($0.name, $0) }) { first, _ in first }
        for (index, schema) in schemas.enumerated() where !write(schema) {
            notes.append(
                .init(.loss, [], "allOf[\(index)]", "\(ProfileManifest.name) has no words for such a condition"))
        }
    }

    private mutating func write(_ rule: JSONValue) -> Bool {
        guard let parts = rule.object, Set(parts.keys) == ["if", "then"], let condition = parts["if"],
            let cases = cases(condition), let outcomes = outcomes(parts["then"])
        else { return false }
        for (name, word) in outcomes {
            var entries = words[name]?[word]?.array ?? []
            entries += cases.map { targets in
                var entry: [String: PropertyListValue] = ["pfm_target_conditions": .array(targets)]
                if word == "pfm_conditionals" { entry["pfm_require"] = .string("always") }
                return .dictionary(entry)
            }
            words[name, default: [:]][word] = .array(entries)
        }
        return true
    }

    /// Which keys must be there, and which must not.
    private func outcomes(_ schema: JSONValue?) -> [(name: String, word: String)]? {
        guard let parts = schema?.object, Set(parts.keys).isSubset(of: ["required", "properties"]) else { return nil }
        let required = parts["required"]?.array ?? []
        let excluded = parts["properties"]?.object ?? [:]
        let names = required.compactMap(\.string)
        guard names.count == required.count, excluded.values.allSatisfy({ $0 == .boolean(false) }) else { return nil }
        let all = names.map { ($0, "pfm_conditionals") } + excluded.keys.sorted().map { ($0, "pfm_exclude") }
        return all.isEmpty || all.contains { keys[$0.0] == nil } ? nil : all
    }

    /// The conditions of each case: one of the cases is enough, and each of its conditions has to hold.
    private func cases(_ schema: JSONValue) -> [[PropertyListValue]]? {
        if let any = only("anyOf", in: schema)?.array { return every(any, conditions) }
        return conditions(schema).map { [$0] }
    }

    private func conditions(_ schema: JSONValue) -> [PropertyListValue]? {
        if let all = only("allOf", in: schema)?.array { return every(all, conditions)?.flatMap(\.self) }
        if let opposite = only("not", in: schema) { return target(opposite, holds: false).map { [$0] } }
        // Of several keys each is a condition of its own.
        guard let parts = schema.object, Set(parts.keys).isSubset(of: ["required", "properties"]),
            let required = parts["required"]?.array, !required.isEmpty
        else { return nil }
        let values = parts["properties"]?.object ?? [:]
        guard Set(required).isSuperset(of: values.keys.map(JSONValue.string)) else { return nil }
        return every(required) { name in
            guard let name = name.string else { return nil }
            let one = values[name].map {
                JSONValue.object(["properties": .object([name: $0]), "required": .array([.string(name)])])
            }
            return target(one ?? .object(["required": .array([.string(name)])]), holds: true)
        }
    }

    /// The condition on one key: that it is there, has one of some values, or contains one of them.
    private func target(_ schema: JSONValue, holds: Bool) -> PropertyListValue? {
        guard let parts = schema.object, let required = parts["required"]?.array, required.count == 1,
            let name = required[0].string, let key = keys[name], !name.contains(".")
        else { return nil }
        var condition: [String: PropertyListValue] = ["pfm_target": .string(name)]
        if parts.count == 1 {
            condition["pfm_present"] = .boolean(holds)
            return .dictionary(condition)
        }
        guard parts.count == 2, let values = parts["properties"]?.object, values.count == 1,
            let value = values[name]?.object
        else { return nil }
        if let list = list(value, of: key) {
            condition[holds ? "pfm_range_list" : "pfm_n_range_list"] = list
        } else if Set(value.keys) == ["type", "contains"], value["type"] == .string("array"), let item = key.item.first,
            let list = list(value["contains"]?.object ?? [:], of: item)
        {
            condition[holds ? "pfm_contains_any" : "pfm_n_contains_any"] = list
        } else {
            return nil
        }
        return .dictionary(condition)
    }

    /// The values of a schema that lists them and says nothing else.
    private func list(_ schema: [String: JSONValue], of key: SpecifiedKey) -> PropertyListValue? {
        guard schema.count == 1, let values = schema["enum"]?.array ?? schema["const"].map({ [$0] }),
            values.allSatisfy(KeyReduction.canBeXML)
        else { return nil }
        return every(values) { ProfileManifest.propertyList($0, of: key) }.map(PropertyListValue.array)
    }

    private func only(_ keyword: String, in schema: JSONValue) -> JSONValue? {
        schema.object?.count == 1 ? schema[keyword] : nil
    }

    private func every<Part, Made>(_ parts: [Part], _ make: (Part) -> Made?) -> [Made]? {
        let made = parts.compactMap(make)
        return made.count == parts.count ? made : nil
    }
}
