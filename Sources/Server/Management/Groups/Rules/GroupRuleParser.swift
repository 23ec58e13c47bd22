extension GroupRule {
    /// Reads a rule as people write it, such as `os = linux and (os-version >= 13 or not supervised)`.
    ///
    /// `and` binds closer than `or`. Work is bounded by the length of the text.
    package init(parsing text: String) throws(GroupRuleRefusal) {
        guard text.utf8.count <= GroupRuleLimits.textBytes else {
            throw GroupRuleRefusal("a rule has at most \(GroupRuleLimits.textBytes) bytes")
        }
        var parser = GroupRuleParser(tokens: try RuleToken.all(in: text))
        self = try parser.wholeRule()
    }

    /// A rule whose parts were put together one by one; throws the bound it breaks.
    func checked() throws(GroupRuleRefusal) -> GroupRule {
        guard conditions.count <= GroupRuleLimits.conditions else {
            throw GroupRuleRefusal("a rule has at most \(GroupRuleLimits.conditions) conditions")
        }
        guard depth <= GroupRuleLimits.depth else { throw GroupRuleRefusal.tooDeep }
        return self
    }
}

extension GroupRuleRefusal {
    static let tooDeep = GroupRuleRefusal("its parts lie at most \(GroupRuleLimits.depth) deep in each other")
}

/// Reads the parts of a rule, each one deeper in the one around it.
private struct GroupRuleParser {
    let tokens: [RuleToken]
    private var next = 0
    private var depth = 0

    init(tokens: [RuleToken]) {
        self.tokens = tokens
    }

    mutating func wholeRule() throws(GroupRuleRefusal) -> GroupRule {
        let rule = try alternatives()
        guard next == tokens.count else { throw refusal("here stands “and”, “or” or the end") }
        return try rule.checked()
    }

    private mutating func alternatives() throws(GroupRuleRefusal) -> GroupRule {
        var rules = [try conjunction()]
        while take(.or) { rules.append(try conjunction()) }
        return rules.count == 1 ? rules[0] : .any(rules)
    }

    private mutating func conjunction() throws(GroupRuleRefusal) -> GroupRule {
        var rules = [try part()]
        while take(.and) { rules.append(try part()) }
        return rules.count == 1 ? rules[0] : .all(rules)
    }

    private mutating func part() throws(GroupRuleRefusal) -> GroupRule {
        depth += 1
        defer { depth -= 1 }
        // Deeper than any rule with its parentheses may be: this bounds the recursion.
        guard depth <= 2 * GroupRuleLimits.depth else { throw GroupRuleRefusal.tooDeep }
        if take(.not) { return .not(try part()) }
        if take("(") {
            let rule = try alternatives()
            guard take(")") else { throw refusal("a parenthesis is not closed") }
            return rule
        }
        return .condition(try condition())
    }

    private mutating func condition() throws(GroupRuleRefusal) -> GroupCondition {
        if take(.shard) { return try shard() }
        let start = next
        guard var name = word() else { throw refusal("here stands a condition, “not” or a parenthesis") }
        if name == "app" || name == "status" {
            guard let of = word() else { throw refusal("behind “\(name)” stands a name") }
            name += " " + of
        }
        let fact: RuleFact
        do {
            fact = try RuleFact(parsing: name)
        } catch {
            throw GroupRuleRefusal(error.rule, at: tokens[start].position)
        }
        let place = position
        do {
            return try GroupCondition(fact, try test()).checked()
        } catch {
            throw error.position == nil ? GroupRuleRefusal(error.rule, at: place) : error
        }
    }

    private mutating func shard() throws(GroupRuleRefusal) -> GroupCondition {
        let place = position
        guard let text = word(), text.last == "%", let percent = Int(text.dropLast()) else {
            throw GroupRuleRefusal("behind “shard” stands a number of percent, as 5%", at: place)
        }
        guard take(.of) else { throw refusal("behind the percents stands “of”, and a name for the shards") }
        let salt = try value()
        do {
            return try GroupCondition.shard(percent: percent, salt: salt).checked()
        } catch {
            throw GroupRuleRefusal(error.rule, at: place)
        }
    }

    private mutating func test() throws(GroupRuleRefusal) -> GroupCondition.Test {
        if take("=") { return .equals(try value()) }
        if take(.begins) { return .begins(try value()) }
        if take(.ends) { return .ends(try value()) }
        if take(.contains) { return .contains(try value()) }
        guard next < tokens.count, case .sign(let sign) = tokens[next].kind,
            let order = GroupCondition.Order(rawValue: sign)
        else { return .present }
        next += 1
        let place = position
        guard let version = SystemVersion(try value()) else {
            throw GroupRuleRefusal("what is compared so is one to four numbers, joined by dots", at: place)
        }
        return .version(order, version)
    }

    // MARK: Tokens

    private var position: Int { next < tokens.count ? tokens[next].position : (tokens.last?.end ?? 1) }

    private func refusal(_ rule: String) -> GroupRuleRefusal { GroupRuleRefusal(rule, at: position) }

    private mutating func take(_ word: RuleWord) -> Bool { take { $0 == .word(word.rawValue) } }

    private mutating func take(_ sign: String) -> Bool { take { $0 == .sign(sign) } }

    private mutating func take(where isIt: (RuleToken.Kind) -> Bool) -> Bool {
        guard next < tokens.count, isIt(tokens[next].kind) else { return false }
        next += 1
        return true
    }

    /// A word that means nothing by itself.
    private mutating func word() -> String? {
        guard next < tokens.count, case .word(let text) = tokens[next].kind, RuleWord(rawValue: text) == nil else {
            return nil
        }
        next += 1
        return text
    }

    private mutating func value() throws(GroupRuleRefusal) -> String {
        if let word = word() { return word }
        guard next < tokens.count, case .quoted(let text) = tokens[next].kind else {
            throw refusal("here stands a value, in quotes if it is more than one word")
        }
        next += 1
        return text
    }
}
