import InputBounds

/// Which keywords of JSON Schema hold schemas, in drafts 4 to 7 and in 2020-12.
enum SchemaKeywords {
    static let named: Set = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"]
    static let lists: Set = ["allOf", "anyOf", "oneOf", "prefixItems"]
    static let single: Set = [
        "items", "additionalItems", "additionalProperties", "not", "if", "then", "else", "contains", "propertyNames",
    ]

    /// Keywords that say nothing of a value.
    static let annotations: Set = [
        "title", "description", "default", "examples", "$comment", "deprecated", "readOnly", "writeOnly", "$id",
        "$anchor",
        "$defs", "definitions", "options", "links",
    ]

    /// A schema whose schemas were each replaced.
    static func mapped(
        _ keywords: [String: JSONValue], at path: SpecifiedPath, _ transform: (JSONValue, SpecifiedPath) -> JSONValue
    ) -> [String: JSONValue] {
        var result = keywords
        for (keyword, value) in keywords.sorted(by: { $0.key < $1.key }) {
            if named.contains(keyword), let entries = value.object {
                var replaced = entries
                for (name, schema) in entries.sorted(by: { $0.key < $1.key }) {
                    replaced[name] = transform(schema, keyword == "properties" ? path + .key(name) : path)
                }
                result[keyword] = .object(replaced)
            } else if let items = value.array, lists.contains(keyword) || keyword == "items" {
                result[keyword] = .array(items.map { transform($0, place(of: keyword, in: path)) })
            } else if single.contains(keyword) {
                result[keyword] = transform(value, place(of: keyword, in: path))
            }
        }
        return result
    }

    private static func place(of keyword: String, in path: SpecifiedPath) -> SpecifiedPath {
        switch keyword {
        case "items", "prefixItems", "additionalItems": path + .item
        case "additionalProperties": path + .value
        default: path
        }
    }

    /// A reference into the same document, after keywords on its way got another name.
    static func reference(_ text: String, renaming names: [String: String]) -> String {
        guard text.utf8.starts(with: "#/".utf8) else { return text }
        var parts = text.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false).map { String($0) }
        var isName = false
        for index in parts.indices.dropFirst() {
            if isName {
                isName = false
                continue
            }
            isName = named.contains(parts[index])
            parts[index] = names[parts[index]] ?? parts[index]
        }
        return parts.joined(separator: "/")
    }
}
