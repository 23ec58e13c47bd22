package import InputBounds
import JSONSchema

/// Tries the parts of conditions on values, as often as all conditions of an example may together.
package final class ConditionTrials {
    /// Trials, and what each may cost: all of them as much as six checks of a configuration.
    package static let most = 5_000
    private static let effort = SchemaLimits.effort / 1_000
    /// What the schemas of all trials have together: each is compared with those that were read, which costs its size.
    package static let mostCompared = SchemaLimits.effort

    private(set) var count = 0
    package private(set) var compared = 0
    /// What was read; nothing for what cannot be read alone, as it refers to the rest of its document.
    private var schemas: [JSONValue: JSONSchema?] = [:]

    package init() {}

    package var isSpent: Bool { count >= Self.most || compared >= Self.mostCompared }

    /// Whether a value follows a schema; nil where that cannot be told.
    package func fits(_ schema: JSONValue, _ value: PropertyListValue) -> Bool? {
        guard !isSpent else { return nil }
        count += 1
        compared += Self.size(of: schema)
        guard compared <= Self.mostCompared else { return nil }
        guard let rules = rules(of: schema) else { return nil }
        return rules.violations(of: value, most: 1, effort: Self.effort).isEmpty
    }

    private func rules(of schema: JSONValue) -> JSONSchema? {
        if let read = schemas[schema] { return read }
        let rules = try? JSONSchema(schema)
        schemas.updateValue(rules, forKey: schema)
        return rules
    }

    /// How many values, and bytes of texts and names, a schema has.
    private static func size(of schema: JSONValue) -> Int {
        switch schema {
        case .string(let text): 1 + text.utf8.count
        case .array(let items): items.reduce(1) { $0 + size(of: $1) }
        case .object(let members): members.reduce(1) { $0 + $1.key.utf8.count + size(of: $1.value) }
        case .null, .boolean, .integer, .real: 1
        }
    }
}
