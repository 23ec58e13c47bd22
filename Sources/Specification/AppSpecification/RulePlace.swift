import InputBounds
import JSONSchema

/// A schema for the value at some place, and whether the value follows it.
struct SchemaCondition {
    let schema: JSONValue
    var holds: Bool
    let steps: [InstanceStep]

    init(_ schema: JSONValue, holds: Bool, at steps: [InstanceStep]) {
        (self.schema, self.holds, self.steps) = (schema, holds, steps)
    }
}

/// Where a rule that a value breaks stands in its schema: what the rule says, and the conditions that it depends on.
///
/// References are where a rule is out of sight of the conditions around: those have none here.
struct RulePlace {
    /// The value of the rule's keyword.
    let keyword: JSONValue?
    /// The innermost comes first.
    let conditions: [SchemaCondition]

    init(of violation: SchemaViolation, in document: JSONValue) {
        let words = violation.place.unicodeScalars.split(separator: "/", omittingEmptySubsequences: false).dropFirst()
            .map { String($0).replacing(scalars: "~1", with: "/").replacing(scalars: "~0", with: "~") }
        var schema: JSONValue? = document
        // How many steps into the value the schema is; counted from its end, for references begin anywhere.
        var depth = 0
        var found: [(schema: JSONValue, holds: Bool, depth: Int)] = []
        var rest = words[...]
        while let word = rest.popFirst() {
            if ["then", "else"].contains(word), let condition = schema?["if"] {
                found.append((condition, word == "then", depth))
            }
            if Self.leadInside.contains(word), !Self.areLists.contains(word) || !rest.isEmpty { depth += 1 }
            schema = schema?[word]
            guard Self.areLists.contains(word), let name = rest.popFirst() else { continue }
            if word == "dependentSchemas" { found.append((Self.presence(of: name), true, depth)) }
            schema = Self.part(name, of: schema)
        }
        keyword = schema
        if violation.rule == .dependentRequired, case .key(let missing)? = violation.path.steps.last {
            for (name, others) in (schema?.object ?? [:]).sorted(by: { $0.key < $1.key })
            where others.array?.contains(.string(missing)) == true {
                found.append((Self.presence(of: name), true, depth))
            }
        }
        // These name a key inside the value that their schema is for.
        let total = depth + ([.required, .dependentRequired, .propertyNames].contains(violation.rule) ? 1 : 0)
        conditions = found.reversed().map { condition in
            SchemaCondition(
                condition.schema, holds: condition.holds,
                at: Array(violation.path.steps.dropLast(total - condition.depth)))
        }
    }

    /// Keywords that hold several schemas, by name or number.
    private static let areLists: Set<String> = [
        "properties", "patternProperties", "dependentSchemas", "allOf", "anyOf", "oneOf", "prefixItems", "$defs",
    ]
    /// Keywords whose schemas are for what lies in the value.
    private static let leadInside: Set<String> = [
        "properties", "patternProperties", "additionalProperties", "prefixItems", "items",
    ]

    private static func presence(of name: String) -> JSONValue { .object(["required": .array([.string(name)])]) }

    private static func part(_ name: String, of schemas: JSONValue?) -> JSONValue? {
        guard let items = schemas?.array else { return schemas?[name] }
        guard let index = Int(name), items.indices.contains(index) else { return nil }
        return items[index]
    }
}
