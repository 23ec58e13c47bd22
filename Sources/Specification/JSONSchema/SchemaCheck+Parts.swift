import InputBounds

/// Rules about what lies in a list or a dictionary.
extension SchemaCheck {
    /// Steps that it takes to compare a value with many at once, for each of its parts.
    static let canonical = 12

    mutating func followsParts<Value: SchemaInstance>(
        _ rule: SchemaNode.Rule, _ value: Value, _ view: InstanceView<Value>, _ node: SchemaNode
    ) -> Bool {
        switch view {
        case .array(let items): follows(rule, items, view, node)
        case .object(let entries): follows(rule, entries, value, view, node)
        default: true
        }
    }

    // MARK: Lists

    private mutating func follows<Value: SchemaInstance>(
        _ rule: SchemaNode.Rule, _ items: [Value], _ view: InstanceView<Value>, _ node: SchemaNode
    ) -> Bool {
        switch rule {
        case .count(.maxItems, let most):
            items.count <= most
                || broken(.maxItems, view, node, "must hold at most \(most)", found: "a list of \(items.count)")
        case .count(.minItems, let least):
            items.count >= least
                || broken(.minItems, view, node, "must hold at least \(least)", found: "a list of \(items.count)")
        case .uniqueItems: areUnique(items, view, node)
        case .items(let first, let rest): hold(items, first, rest)
        case .contains(let schema, let least, let most): contains(items, schema, least, most, view, node)
        default: true
        }
    }

    private mutating func areUnique<Value: SchemaInstance>(
        _ items: [Value], _ view: InstanceView<Value>, _ node: SchemaNode
    ) -> Bool {
        guard spend(view.size * Self.canonical) else { return true }
        var seen: [CanonicalValue: Int] = [:]
        seen.reserveCapacity(items.count)
        for (index, item) in items.enumerated() {
            if let first = seen.updateValue(index, forKey: CanonicalValue(item, asTexts: false)) {
                return broken(
                    .uniqueItems, view, node, "must hold nothing twice",
                    found: "the same at [\(first)] and [\(index)]")
            }
        }
        return true
    }

    private mutating func hold(_ items: [some SchemaInstance], _ first: [Int], _ rest: Int?) -> Bool {
        var fits = true
        for (index, item) in items.enumerated() {
            guard let schema = index < first.count ? first[index] : rest, !isExhausted else { break }
            if !hold(schema, .index(index), item) { fits = false }
            if isQuiet, !fits { return false }
        }
        return fits
    }

    private mutating func contains<Value: SchemaInstance>(
        _ items: [Value], _ schema: Int, _ least: Int, _ most: Int?, _ view: InstanceView<Value>, _ node: SchemaNode
    ) -> Bool {
        var count = 0
        for item in items where !isExhausted && fits(schema, item) { count += 1 }
        if count < least {
            let rule: SchemaRule = least == 1 ? .contains : .minContains
            return broken(
                rule, view, node, "must hold at least \(least) of a certain form", found: "a list with \(count)")
        }
        guard let most, count > most else { return true }
        return broken(
            .maxContains, view, node, "must hold at most \(most) of a certain form", found: "a list with \(count)")
    }

    // MARK: Dictionaries

    private mutating func follows<Value: SchemaInstance>(
        _ rule: SchemaNode.Rule, _ entries: [String: Value], _ value: Value, _ view: InstanceView<Value>,
        _ node: SchemaNode
    ) -> Bool {
        switch rule {
        case .count(.maxProperties, let most):
            return entries.count <= most
                || broken(.maxProperties, view, node, "must hold at most \(most) keys", found: Self.size(entries))
        case .count(.minProperties, let least):
            return entries.count >= least
                || broken(.minProperties, view, node, "must hold at least \(least) keys", found: Self.size(entries))
        case .required(let keys): return require(keys, entries, view, node)
        case .dependentRequired(let dependents):
            var fits = true
            for (key, others) in dependents
            where spend(Self.search(for: key) + Self.search(for: others)) && entries[key] != nil {
                for other in others where entries[other] == nil {
                    fits = broken(
                        .dependentRequired, view, node, "must be there, since \(key) is", found: "nothing",
                        at: .key(other))
                }
            }
            return fits
        case .members(let members): return hold(members, entries, view, node)
        case .propertyNames(let schema):
            var fits = true
            for key in inOrder(entries) where !self.fits(schema, JSONValue.string(key)) {
                fits = broken(
                    .propertyNames, view, node, "must have another name", found: "a key of this name", at: .key(key),
                    reasons: isQuiet ? [] : objections(schema, JSONValue.string(key)))
            }
            return fits
        case .dependentSchemas(let dependents):
            var fits = true
            for (key, schema) in dependents where spend(Self.search(for: key)) && entries[key] != nil {
                if !hold(schema, against: value) { fits = false }
            }
            return fits
        default: return true
        }
    }

    private mutating func require<Value: SchemaInstance>(
        _ keys: [String], _ entries: [String: Value], _ view: InstanceView<Value>, _ node: SchemaNode
    ) -> Bool {
        var fits = true
        guard spend(Self.search(for: keys)) else { return true }
        for key in keys where entries[key] == nil {
            fits = broken(
                .required, view, node, "must be there", found: "nothing", at: .key(key),
                suggestion: NearestWord.to(key, among: entries.keys).map { "Is \"\($0)\" meant to be it?" })
            if isQuiet { return false }
        }
        return fits
    }

    private mutating func hold<Value: SchemaInstance>(
        _ members: SchemaMembers, _ entries: [String: Value], _ view: InstanceView<Value>, _ node: SchemaNode
    ) -> Bool {
        if isQuiet {
            for (key, value) in entries where !hold(members, key, value, view, node) { return false }
            return true
        }
        var fits = true
        for key in inOrder(entries) {
            guard let value = entries[key] else { continue }
            if !hold(members, key, value, view, node) { fits = false }
        }
        return fits
    }

    /// What one key is under.
    private mutating func hold<Value: SchemaInstance>(
        _ members: SchemaMembers, _ key: String, _ value: Value, _ view: InstanceView<Value>, _ node: SchemaNode
    ) -> Bool {
        guard spend(Self.search(for: key)) else { return true }
        var fits = true
        var isKnown = false
        if let schema = members.named[key] {
            isKnown = true
            if schema >= 0, !hold(schema, .key(key), value) { fits = false }
        }
        for (pattern, schema) in members.patterns where matches(pattern, key) {
            isKnown = true
            if schema >= 0, !hold(schema, .key(key), value) { fits = false }
        }
        if !isKnown, members.forbidsOthers {
            fits = broken(
                .additionalProperties, view, node, "is not a key that is known here", found: value.view.name,
                at: .key(key),
                suggestion: NearestWord.to(key, among: members.named.keys).map {
                    "Did you mean \"\($0)\"?"
                })
        } else if !isKnown, let others = members.others, !hold(others, .key(key), value) {
            fits = false
        }
        return fits
    }

    /// Steps that it takes to find a key in a dictionary.
    private static func search(for key: String) -> Int { 6 + key.utf8.count / 32 }

    private static func search(for keys: [String]) -> Int { keys.reduce(0) { $0 + search(for: $1) } }

    /// Keys in order, so that what is told first is always the same.
    private mutating func inOrder(_ entries: [String: some Any]) -> [String] {
        guard !isQuiet else { return Array(entries.keys) }
        return spend(entries.count * 32) ? entries.keys.sorted() : []
    }

    private static func size(_ entries: [String: some Any]) -> String {
        entries.count == 1 ? "a dictionary of 1 key" : "a dictionary of \(entries.count) keys"
    }
}
