extension GroupCondition {
    init(_ fact: RuleFact, _ test: Test) {
        self = .fact(fact, test)
    }

    /// The condition, or the rule that it breaks: one that could never be met is refused.
    func checked() throws(GroupRuleRefusal) -> GroupCondition {
        switch self {
        case .shard(let percent, let salt):
            guard (0...100).contains(percent) else { throw GroupRuleRefusal("a shard has 0% to 100%") }
            try Self.check(value: salt)
        case .fact(let fact, let test):
            if fact.isFlag, test != .present {
                throw GroupRuleRefusal("“\(fact.text)” stands alone: a device is so or is not")
            }
            if let words = fact.words {
                switch test {
                case .present: break
                case .equals(let word) where words.contains(word): break
                default:
                    throw GroupRuleRefusal(
                        "“\(fact.text)” is compared by = with one of \(words.joined(separator: ", "))")
                }
            }
            if let value = test.value { try Self.check(value: value) }
        }
        return self
    }

    private static func check(value: String) throws(GroupRuleRefusal) {
        guard (1...GroupRuleLimits.valueBytes).contains(value.utf8.count),
            value.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F })
        else {
            throw GroupRuleRefusal(
                "a value is 1 to \(GroupRuleLimits.valueBytes) bytes without control characters")
        }
    }
}
