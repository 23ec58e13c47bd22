import InputBounds

/// Keywords about the parts of a value, and about several schemas for one.
extension SchemaCompiler {
    mutating func listRules(
        _ keywords: [String: JSONValue], at place: String
    ) throws(SchemaRefusal) -> [SchemaNode.Rule] {
        var rules: [SchemaNode.Rule] = []
        try addCounts([.minItems, .maxItems], keywords, at: place, to: &rules)
        if let value = keywords["uniqueItems"] {
            guard let isUnique = value.bool else { throw refusal(place + "/uniqueItems", "is neither true nor false") }
            if isUnique, keeps(.uniqueItems) { rules.append(.uniqueItems) }
        }
        var first: [Int] = []
        for (index, schema) in (try list(keywords, "prefixItems", at: place) ?? []).enumerated() {
            first.append(try node(schema, at: place + "/prefixItems/\(index)"))
        }
        if !keeps(.prefixItems) { first = [] }
        var rest: Int?
        if let items = keywords["items"] {
            guard items.array == nil else {
                throw unsupported(place + "/items", "a list of schemas under items is not implemented: use prefixItems")
            }
            let node = try node(items, at: place + "/items")
            if keeps(.items) { rest = node }
        }
        if !first.isEmpty || rest != nil { rules.append(.items(first: first, rest: rest)) }
        if let contains = keywords["contains"] {
            let node = try node(contains, at: place + "/contains")
            let least = try keywords["minContains"].map { value throws(SchemaRefusal) in
                try count(value, at: place + "/minContains")
            }
            let most = try keywords["maxContains"].map { value throws(SchemaRefusal) in
                try count(value, at: place + "/maxContains")
            }
            rules.append(
                .contains(
                    node, least: keeps(.contains) ? (keeps(.minContains) ? least : nil) ?? 1 : 0,
                    most: keeps(.maxContains) ? most : nil))
        }
        return rules
    }

    mutating func dictionaryRules(
        _ keywords: [String: JSONValue], at place: String
    ) throws(SchemaRefusal) -> [SchemaNode.Rule] {
        var rules: [SchemaNode.Rule] = []
        try addCounts([.minProperties, .maxProperties], keywords, at: place, to: &rules)
        if let value = keywords["required"] {
            let keys = try strings(value, at: place + "/required")
            if !keys.isEmpty, keeps(.required) { rules.append(.required(keys)) }
        }
        let dependent = try schemas(keywords, "dependentRequired", at: place)
        var others: [(key: String, others: [String])] = []
        for (key, value) in dependent {
            others.append((key, try strings(value, at: place + "/dependentRequired/" + Self.escaped(key))))
        }
        if !others.isEmpty, keeps(.dependentRequired) { rules.append(.dependentRequired(others)) }
        if let members = try members(keywords, at: place) { rules.append(.members(members)) }
        if let names = keywords["propertyNames"] {
            let node = try node(names, at: place + "/propertyNames")
            if keeps(.propertyNames) { rules.append(.propertyNames(node)) }
        }
        var dependents: [(key: String, node: Int)] = []
        for (key, schema) in try schemas(keywords, "dependentSchemas", at: place) {
            dependents.append((key, try node(schema, at: place + "/dependentSchemas/" + Self.escaped(key))))
        }
        if !dependents.isEmpty, keeps(.dependentSchemas) { rules.append(.dependentSchemas(dependents)) }
        return rules
    }

    private mutating func members(
        _ keywords: [String: JSONValue], at place: String
    ) throws(SchemaRefusal) -> SchemaMembers? {
        var members = SchemaMembers()
        for (name, schema) in try schemas(keywords, "properties", at: place) {
            members.named[name] = try node(schema, at: place + "/properties/" + Self.escaped(name))
        }
        for (source, schema) in try schemas(keywords, "patternProperties", at: place) {
            let inside = place + "/patternProperties/" + Self.escaped(source)
            members.patterns.append((try pattern(source, at: inside), try node(schema, at: inside)))
        }
        if let others = keywords["additionalProperties"] {
            members.others = try node(others, at: place + "/additionalProperties")
            members.forbidsOthers = others == .boolean(false)
        }
        // Names count for what is additional also where their own schemas are left out.
        if !keeps(.properties) { members.named = members.named.mapValues { _ in -1 } }
        if !keeps(.patternProperties) { members.patterns = members.patterns.map { ($0.pattern, -1) } }
        if !keeps(.additionalProperties) {
            members.others = nil
            members.forbidsOthers = false
        }
        return members.named.isEmpty && members.patterns.isEmpty && members.others == nil ? nil : members
    }

    mutating func logicRules(
        _ keywords: [String: JSONValue], at place: String
    ) throws(SchemaRefusal) -> [SchemaNode.Rule] {
        var rules: [SchemaNode.Rule] = []
        for rule in [SchemaRule.allOf, .anyOf, .oneOf] {
            guard let schemas = try list(keywords, rule.rawValue, at: place) else { continue }
            var inner: [Int] = []
            for (index, schema) in schemas.enumerated() {
                inner.append(try node(schema, at: place + "/\(rule.rawValue)/\(index)"))
            }
            guard keeps(rule) else { continue }
            rules.append(rule == .allOf ? .all(inner) : rule == .anyOf ? .any(inner) : .one(inner))
        }
        if let schema = keywords["not"] {
            let inner = try node(schema, at: place + "/not")
            if keeps(.not) { rules.append(.not(inner)) }
        }
        var branches: [String: Int] = [:]
        for keyword in ["if", "then", "else"] {
            if let schema = keywords[keyword] { branches[keyword] = try node(schema, at: place + "/" + keyword) }
        }
        if let condition = branches["if"], branches.count > 1, keeps(.condition) {
            rules.append(.condition(condition, then: branches["then"], otherwise: branches["else"]))
        }
        return rules
    }

    private func addCounts(
        _ keywordsOfCounts: [SchemaRule], _ keywords: [String: JSONValue], at place: String,
        to rules: inout [SchemaNode.Rule]
    ) throws(SchemaRefusal) {
        for rule in keywordsOfCounts {
            guard let value = keywords[rule.rawValue] else { continue }
            let count = try count(value, at: place + "/" + rule.rawValue)
            if keeps(rule) { rules.append(.count(rule, count)) }
        }
    }
}
