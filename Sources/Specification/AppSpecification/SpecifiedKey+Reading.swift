import Foundation
package import InputBounds

extension SpecifiedKey {
    /// Reads what a schema says of a configuration; it is one that `JSONSchema` has read.
    package init(reading document: JSONValue) {
        var reader = KeyReader(document: document)
        self = reader.key("", document, KeyReader.Surroundings())
    }
}

/// Reads the schemas inside a document as keys, one after the other, with one bound for all of them.
struct SchemaKeys {
    private var reader: KeyReader

    init(_ document: JSONValue) { reader = KeyReader(document: document) }

    /// What a schema says; once the bound is reached, nothing.
    mutating func key(_ schema: JSONValue) -> SpecifiedKey { reader.key("", schema, KeyReader.Surroundings()) }
}

/// Reads schemas as keys.
private struct KeyReader {
    /// Where a schema stands.
    struct Surroundings {
        /// The references that led there.
        var references: [String] = []
        var depth = 0
        /// Bytes of the path.
        var length = 0

        func below(_ name: String) -> Surroundings {
            Surroundings(references: references, depth: depth + 1, length: length + name.utf8.count)
        }
    }

    let document: JSONValue
    // References may double with each level what there is to read.
    private var left = SpecificationLimits.keys

    init(document: JSONValue) { self.document = document }

    // What keys hold, or what says nothing that counts.
    private static let known: Set<String> = [
        "$schema", "$id", "$defs", "$anchor", "$comment", "$ref", "definitions", "type", "title", "description",
        "default", "examples",
        "enum", "const", "deprecated", "readOnly", "writeOnly", "format", "contentEncoding", "contentMediaType",
        "multipleOf", "maximum", "exclusiveMaximum", "minimum", "exclusiveMinimum", "maxLength", "minLength",
        "pattern", "maxItems", "minItems", "uniqueItems", "maxProperties", "minProperties", "required", "properties",
        "additionalProperties", "items",
    ]

    // Annotations that this reads, or the specification does.
    private static let annotations: Set<String> = [
        "x-enum-titles", "x-deprecated", "x-since", "x-order", "x-ui", "x-sensitive", "x-variable", "x-i18n",
        "x-minimum", "x-maximum", "x-minBytes", "x-maxBytes", "x-app", "x-secrets", "x-errors", "x-samples",
        "x-feedback", "x-extensions", "x-locale", "x-revision",
    ]

    mutating func key(_ name: String, _ schema: JSONValue, _ surroundings: Surroundings) -> SpecifiedKey {
        left -= 1 + surroundings.length / 100
        var surroundings = surroundings
        let (keywords, references) = resolved(schema, inside: surroundings.references)
        surroundings.references = references
        guard let keywords, left > 0, surroundings.depth <= SpecificationLimits.depth else {
            var key = SpecifiedKey(name, .any)
            key.others = ["$ref"]
            return key
        }
        var key = SpecifiedKey(name, type(keywords))
        describe(&key, keywords)
        bound(&key, keywords)
        let required = Set((keywords["required"]?.array ?? []).compactMap(\.string))
        for (name, schema) in (keywords["properties"]?.object ?? [:]).sorted(by: { $0.key < $1.key }) {
            var inner = self.key(name, schema, surroundings.below(name))
            inner.isRequired = required.contains(name)
            key.keys.append(inner)
        }
        key.keys.sort(by: Self.precedes)
        key.isOpen = keywords["additionalProperties"] != .boolean(false)
        if let values = keywords["additionalProperties"], values.object != nil {
            key.values = [self.key("", values, surroundings.below(""))]
        }
        if let items = keywords["items"] { key.item = [self.key("", items, surroundings.below(""))] }
        key.conditions = conditions(keywords["allOf"]?.array ?? [], among: Set(key.keys.map(\.name)))
        key.others = others(keywords, key)
        key.annotations = annotations(keywords)
        return key
    }

    /// The keywords of a schema with those that it refers to, which its own go before; nothing if it lies in itself.
    private func resolved(_ schema: JSONValue, inside: [String]) -> ([String: JSONValue]?, [String]) {
        var references = inside
        guard case .object(var keywords) = schema else {
            return (schema == .boolean(false) ? ["not": .object([:])] : [:], references)
        }
        while let target = keywords["$ref"]?.string {
            guard !references.contains(target), references.count < 64, let other = value(at: target)?.object else {
                return (nil, references)
            }
            references.append(target)
            keywords["$ref"] = nil
            keywords.merge(other) { own, _ in own }
        }
        return (keywords, references)
    }

    private func value(at reference: String) -> JSONValue? {
        guard reference == "#" || reference.utf8.starts(with: "#/".utf8),
            let pointer = reference.dropFirst().description.removingPercentEncoding
        else {
            return nil
        }
        var value: JSONValue? = document
        // By scalars, as the names of keys are: one may begin with a combining mark.
        for part in pointer.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false).dropFirst() {
            value = value?[String(part).replacing(scalars: "~1", with: "/").replacing(scalars: "~0", with: "~")]
        }
        return value
    }

    private func type(_ keywords: [String: JSONValue]) -> SpecifiedType {
        switch Self.word(keywords["type"]) {
        case "integer": .integer
        case "number": .real
        case "boolean": .boolean
        case "array": .array
        case "object": .dictionary
        case "string":
            if keywords["format"]?.string == "date-time" {
                .date
            } else if keywords["contentEncoding"]?.string == "base64" {
                .data
            } else {
                .string
            }
        default: keywords["properties"] != nil && keywords["type"] == nil ? .dictionary : .any
        }
    }

    /// The name of a type; of a list of types the one beside `null`, which no property list has a value of.
    private static func word(_ type: JSONValue?) -> String? {
        guard let words = type?.array else { return type?.string }
        let others = words.filter { $0 != .string("null") }
        return others.count == 1 ? others[0].string : nil
    }

    private func describe(_ key: inout SpecifiedKey, _ keywords: [String: JSONValue]) {
        key.title = keywords["title"]?.string
        key.description = keywords["description"]?.string
        key.defaultValue = keywords["default"]
        key.examples = keywords["examples"]?.array ?? []
        if let values = keywords["enum"]?.array ?? keywords["const"].map({ [$0] }) {
            let titles = keywords["x-enum-titles"]?.array ?? []
            let choices = values.enumerated().map { index, value in
                SpecifiedChoice(value: value, title: index < titles.count ? titles[index].string : nil)
            }
            // As one value among others null means that the key may be left out.
            key.choices = choices.count > 1 ? choices.filter { $0.value != .null } : choices
        }
        if let details = keywords["x-deprecated"], details.object != nil {
            key.deprecation = SpecifiedDeprecation(
                since: details["since"]?.string, until: details["until"]?.string,
                replacedBy: details["replacedBy"]?.string, note: details["note"]?.string)
        } else if keywords["deprecated"]?.bool == true {
            key.deprecation = SpecifiedDeprecation()
        }
        key.since = keywords["x-since"]?.string
        key.order = keywords["x-order"]?.int
        key.group = keywords["x-ui"]?["group"]?.string
        key.isHidden = keywords["x-ui"]?["hidden"]?.bool ?? false
        key.isSensitive = keywords["x-sensitive"]?.bool ?? false
        if let scope = keywords["x-variable"]?["scope"]?.string, let name = keywords["x-variable"]?["name"]?.string {
            key.variable = SpecifiedVariable(scope: scope, name: name)
        }
        key.translations = (keywords["x-i18n"]?.object ?? [:]).mapValues {
            SpecifiedTranslation(title: $0["title"]?.string, description: $0["description"]?.string)
        }
    }

    private func bound(_ key: inout SpecifiedKey, _ keywords: [String: JSONValue]) {
        key.bounds.minimum = keywords["minimum"]
        key.bounds.maximum = keywords["maximum"]
        key.bounds.exclusiveMinimum = keywords["exclusiveMinimum"]
        key.bounds.exclusiveMaximum = keywords["exclusiveMaximum"]
        key.bounds.multipleOf = keywords["multipleOf"]
        key.bounds.minLength = keywords["minLength"]?.int
        key.bounds.maxLength = keywords["maxLength"]?.int
        key.bounds.pattern = keywords["pattern"]?.string
        key.bounds.format = key.type == .date ? nil : keywords["format"]?.string
        key.bounds.minItems = keywords["minItems"]?.int
        key.bounds.maxItems = keywords["maxItems"]?.int
        key.bounds.uniqueItems = keywords["uniqueItems"]?.bool ?? false
        key.bounds.minProperties = keywords["minProperties"]?.int
        key.bounds.maxProperties = keywords["maxProperties"]?.int
        key.bounds.earliest = keywords["x-minimum"]?.string
        key.bounds.latest = keywords["x-maximum"]?.string
        key.bounds.minBytes = keywords["x-minBytes"]?.int
        key.bounds.maxBytes = keywords["x-maxBytes"]?.int
    }

    private func others(_ keywords: [String: JSONValue], _ key: SpecifiedKey) -> [String] {
        var others = keywords.keys.filter { !Self.known.contains($0) && !$0.hasPrefix("x-") }
        if key.type == .any, keywords["type"] != nil { others.append("type") }
        let known = Set(key.keys.map(\.name))
        if (keywords["required"]?.array ?? []).contains(where: { !known.contains($0.string ?? "") }) {
            others.append("required")
        }
        return others.sorted()
    }

    private func conditions(_ schemas: [JSONValue], among names: Set<String>) -> [JSONValue] {
        let parts: Set<String> = ["required", "properties"]
        let isAboutTheseKeys = { (part: JSONValue) in
            let named =
                (part["required"]?.array ?? []).map { $0.string ?? "" } + (part["properties"]?.object ?? [:]).keys
            return part.object.map { parts.isSuperset(of: $0.keys) } == true && names.isSuperset(of: named)
        }
        let areAll = schemas.allSatisfy { schema in
            schema.object.map { Set($0.keys) == ["if", "then"] && $0.values.allSatisfy(isAboutTheseKeys) } == true
        }
        return areAll ? schemas : []
    }

    private func annotations(_ keywords: [String: JSONValue]) -> [String] {
        var unread = keywords.keys.filter { $0.hasPrefix("x-") && !Self.annotations.contains($0) }
        unread += ["readOnly", "writeOnly", "contentMediaType"].filter { keywords[$0] != nil }
        if let encoding = keywords["contentEncoding"], encoding.string != "base64" { unread.append("contentEncoding") }
        unread += (keywords["x-ui"]?.object ?? [:]).keys.filter { $0 != "group" && $0 != "hidden" }.map { "x-ui." + $0 }
        return unread.sorted()
    }

    private static func precedes(_ one: SpecifiedKey, _ other: SpecifiedKey) -> Bool {
        (one.order ?? .max, one.name) < (other.order ?? .max, other.name)
    }
}
