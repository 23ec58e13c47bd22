import InputBounds

/// Turns schemas of drafts 4 to 7, and what Jamf adds to them, into those of 2020-12.
struct DraftReader {
    var notes = ConversionNotes()

    mutating func modern(_ schema: JSONValue, at path: SpecifiedPath) -> JSONValue {
        guard case .object(var keywords) = schema else { return schema }
        readWriting(&keywords, at: path)
        liftNull(&keywords, at: path)
        liftRequired(&keywords, at: path)
        readChosenKeys(&keywords, at: path)
        keywords = SchemaKeywords.mapped(keywords, at: path) { modern($0, at: $1) }
        readTypes(&keywords, at: path)
        readIdentity(&keywords, at: path)
        readNumbers(&keywords, at: path)
        readParts(&keywords, at: path)
        readPatterns(&keywords, at: path)
        readForm(&keywords, at: path)
        for keyword in ["unevaluatedProperties", "unevaluatedItems", "$recursiveRef", "$dynamicRef", "$vocabulary"] {
            if keywords.removeValue(forKey: keyword) != nil { notes.lose(path, keyword, "it is not implemented") }
        }
        keywords["$recursiveAnchor"] = nil
        keywords["$dynamicAnchor"] = nil
        return .object(keywords)
    }

    /// Forms of draft 3 say of each key whether it is required, and are still about.
    private mutating func liftRequired(_ keywords: inout [String: JSONValue], at path: SpecifiedPath) {
        guard var properties = keywords["properties"]?.object else { return }
        let named = keywords["required"]?.array ?? []
        var required = named.filter { name in
            name.string.flatMap { properties[$0] }.map { !Self.allowsNull($0) } ?? true
        }
        for name in named where !required.contains(name) {
            notes.warn(
                path + .key(name.string ?? ""), "required", "what may be null may be left out; it is not required")
        }
        for (name, schema) in properties.sorted(by: { $0.key < $1.key }) {
            guard case .object(var inner) = schema, let flag = inner["required"].flatMap(Self.flag) else { continue }
            inner["required"] = nil
            properties[name] = .object(inner)
            notes.warn(path + .key(name), "required", "it is said of the key itself, as in draft 3")
            if flag, !required.contains(.string(name)) { required.append(.string(name)) }
        }
        keywords["properties"] = .object(properties)
        guard keywords["required"]?.bool == nil, required != keywords["required"]?.array else { return }
        keywords["required"] = required.isEmpty ? nil : .array(required)
    }

    private static let aliases: [String: [String: JSONValue]] = [
        "date": ["type": .string("string"), "format": .string("date-time")],
        "data": ["type": .string("string"), "contentEncoding": .string("base64")],
        "real": ["type": .string("number")], "float": ["type": .string("number")],
        "double": ["type": .string("number")],
        "bool": ["type": .string("boolean")], "int": ["type": .string("integer")],
        "dict": ["type": .string("object")], "dictionary": ["type": .string("object")],
    ]

    private mutating func readTypes(_ keywords: inout [String: JSONValue], at path: SpecifiedPath) {
        if let words = keywords["type"]?.array {
            let others = words.filter { $0 != .string("null") }
            if others.count < words.count { notes.warn(path, "type", "a property list has no null; it is left out") }
            keywords["type"] = others.count == 1 ? others[0] : others.isEmpty ? nil : .array(others)
        }
        guard let word = keywords["type"]?.string else { return }
        if word == "any" {
            keywords["type"] = nil
            notes.warn(path, "type", "any is no type; the key takes whatever there is")
        } else if let alias = Self.aliases[word] {
            keywords.merge(alias) { _, new in new }
            notes.warn(path, "type", "\(word) is no type of JSON Schema; it is put right")
        }
    }

    private mutating func readIdentity(_ keywords: inout [String: JSONValue], at path: SpecifiedPath) {
        if let old = keywords["id"]?.string, keywords["$id"] == nil,
            keywords["$schema"]?.string?.contains("draft-04") == true || old.hasPrefix("#")
        {
            keywords["id"] = nil
            keywords["$id"] = .string(old)
        }
        if let identity = keywords["$id"]?.string, identity.hasPrefix("#") {
            keywords["$id"] = nil
            if identity.count > 1 { keywords["$anchor"] = .string(String(identity.dropFirst())) }
        } else if keywords["$id"] != nil, !path.steps.isEmpty {
            keywords["$id"] = nil
            notes.lose(path, "$id", "a schema inside has no address of its own")
        }
        if let reference = keywords["$ref"]?.string {
            keywords["$ref"] = .string(SchemaKeywords.reference(reference, renaming: ["definitions": "$defs"]))
            let beside = keywords.keys.filter {
                $0 != "$ref" && !SchemaKeywords.annotations.contains($0) && !$0.hasPrefix("x-")
                    && $0 != "property_order"
                    && $0 != "propertyOrder"
            }
            if !beside.isEmpty { notes.warn(path, "$ref", "older drafts ignore what stands beside it; here it counts") }
        } else if let all = keywords["allOf"]?.array, all.count == 1, let inner = all[0].object, inner.count == 1,
            let reference = inner["$ref"]
        {
            keywords["allOf"] = nil
            keywords["$ref"] = reference
        }
        guard let old = keywords.removeValue(forKey: "definitions") else { return }
        if let new = keywords["$defs"]?.object, let old = old.object {
            keywords["$defs"] = .object(old.merging(new) { _, new in new })
        } else {
            keywords["$defs"] = old
        }
    }

    private mutating func readNumbers(_ keywords: inout [String: JSONValue], at path: SpecifiedPath) {
        for (exclusive, inclusive) in [("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")] {
            guard let flag = keywords[exclusive]?.bool else { continue }
            keywords[exclusive] = nil
            guard flag else { continue }
            if let bound = keywords.removeValue(forKey: inclusive) {
                keywords[exclusive] = bound
            } else {
                notes.lose(path, exclusive, "there is no bound for it")
            }
        }
        if let divisor = keywords.removeValue(forKey: "divisibleBy") {
            keywords["multipleOf"] = divisor
            notes.warn(path, "multipleOf", "it is written divisibleBy, as in draft 3")
        }
    }
}
