package import InputBounds

extension GroupRule {
    /// As programs write it: an object with `all`, `any` or `not`, with `shard` and `of`, or with `fact`, `test` and
    /// `value`.
    package var json: JSONValue {
        switch self {
        case .all(let rules): .object(["all": .array(rules.map(\.json))])
        case .any(let rules): .object(["any": .array(rules.map(\.json))])
        case .not(let rule): .object(["not": rule.json])
        case .condition(.shard(let percent, let salt)):
            .object(["shard": .integer(Int64(percent)), "of": .string(salt)])
        case .condition(.fact(let fact, let test)):
            .object(
                ["fact": .string(fact.text), "test": .string(test.word)]
                    .merging(test.value.map { ["value": .string($0)] } ?? [:]) { first, _ in first })
        }
    }

    package init(_ value: JSONValue) throws(GroupRuleRefusal) {
        self = try Self.read(value, depth: 1).checked()
    }

    private static func read(_ value: JSONValue, depth: Int) throws(GroupRuleRefusal) -> GroupRule {
        guard depth <= GroupRuleLimits.depth else { throw GroupRuleRefusal.tooDeep }
        guard let members = value.object else { throw GroupRuleRefusal("each part is an object") }
        let known = Set(members.keys)
        switch known {
        case ["all"]: return .all(try list(members["all"], depth))
        case ["any"]: return .any(try list(members["any"], depth))
        case ["not"]: return .not(try read(members["not"] ?? .null, depth: depth + 1))
        case ["shard", "of"]:
            guard let percent = members["shard"]?.int, let salt = members["of"]?.string else {
                throw GroupRuleRefusal("“shard” is a whole number, “of” a text")
            }
            return .condition(try GroupCondition.shard(percent: percent, salt: salt).checked())
        case ["fact", "test"], ["fact", "test", "value"]:
            guard let fact = members["fact"]?.string, let word = members["test"]?.string else {
                throw GroupRuleRefusal("“fact” and “test” are texts")
            }
            let test = try GroupCondition.Test(word: word, value: members["value"]?.string)
            return .condition(try GroupCondition(try RuleFact(parsing: fact), test).checked())
        default:
            throw GroupRuleRefusal(
                "each part has all, any or not alone, shard with of, or fact with test and value")
        }
    }

    private static func list(_ value: JSONValue?, _ depth: Int) throws(GroupRuleRefusal) -> [GroupRule] {
        guard let parts = value?.array, (2...GroupRuleLimits.conditions).contains(parts.count) else {
            throw GroupRuleRefusal("“all” and “any” have 2 to \(GroupRuleLimits.conditions) parts")
        }
        var rules: [GroupRule] = []
        for part in parts { rules.append(try read(part, depth: depth + 1)) }
        return rules
    }
}

extension GroupCondition.Test {
    private static let orders: [(GroupCondition.Order, String)] = [
        (.below, "below"), (.atMost, "at-most"), (.above, "above"), (.atLeast, "at-least"),
    ]

    fileprivate var word: String {
        switch self {
        case .present: "present"
        case .equals: "equals"
        case .begins: "begins"
        case .ends: "ends"
        case .contains: "contains"
        case .version(let order, _): Self.orders.first { $0.0 == order }?.1 ?? order.rawValue
        }
    }

    fileprivate init(word: String, value: String?) throws(GroupRuleRefusal) {
        if word == "present" {
            guard value == nil else { throw GroupRuleRefusal("“present” has no value") }
            self = .present
            return
        }
        guard let value else { throw GroupRuleRefusal("this test has a value, which is a text") }
        switch word {
        case "equals": self = .equals(value)
        case "begins": self = .begins(value)
        case "ends": self = .ends(value)
        case "contains": self = .contains(value)
        default:
            guard let order = Self.orders.first(where: { $0.1 == word })?.0 else {
                let words = ["present", "equals", "begins", "ends", "contains"] + Self.orders.map(\.1)
                throw GroupRuleRefusal("a test is one of \(words.joined(separator: ", "))")
            }
            guard let version = SystemVersion(value) else {
                throw GroupRuleRefusal("what is compared so is one to four numbers, joined by dots")
            }
            self = .version(order, version)
        }
    }
}
