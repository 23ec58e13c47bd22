/// Which devices are in a group, by what they report.
///
/// A condition about something that a device has not said is not met; `not` of it is.
package indirect enum GroupRule: Sendable, Hashable {
    /// Two or more.
    case all([GroupRule])
    /// Two or more.
    case any([GroupRule])
    case not(GroupRule)
    case condition(GroupCondition)

    /// Whether a device of which this is known is in the group.
    package func matches(_ facts: RuleFacts) -> Bool {
        switch self {
        case .all(let rules): rules.allSatisfy { $0.matches(facts) }
        case .any(let rules): rules.contains { $0.matches(facts) }
        case .not(let rule): !rule.matches(facts)
        case .condition(let condition): condition.matches(facts)
        }
    }

    /// The conditions, from the first to the last.
    package var conditions: [GroupCondition] {
        switch self {
        case .all(let rules), .any(let rules): rules.flatMap(\.conditions)
        case .not(let rule): rule.conditions
        case .condition(let condition): [condition]
        }
    }

    /// What it looks at: a device's membership can change only when one of these does.
    package var facts: Set<RuleFact> {
        Set(
            conditions.compactMap { condition in
                if case .fact(let fact, _) = condition { fact } else { nil }
            })
    }

    /// Each condition with what was found of the device, from the first to the last.
    package func findings(_ facts: RuleFacts) -> [GroupRuleFinding] {
        conditions.map { condition in
            GroupRuleFinding(
                condition: condition, found: condition.found(in: facts), holds: condition.matches(facts))
        }
    }

    /// How deep the parts lie in each other; 1 for a condition alone.
    var depth: Int {
        switch self {
        case .all(let rules), .any(let rules): 1 + (rules.map(\.depth).max() ?? 0)
        case .not(let rule): 1 + rule.depth
        case .condition: 1
        }
    }
}

/// What a condition of a rule came to.
package struct GroupRuleFinding: Sendable, Equatable {
    package let condition: GroupCondition
    /// Nothing where the device has not said it.
    package let found: String?
    package let holds: Bool
}

/// The bounds of a rule: it is judged whenever a device reports what it looks at.
package enum GroupRuleLimits {
    package static let depth = 8
    package static let conditions = 64
    package static let textBytes = 8_192
    /// A value that is compared.
    package static let valueBytes = 256
    /// Groups with rules, all of which are judged when a device enrolls.
    package static let rules = 256
    /// Devices that are judged in one transaction: others wait that long.
    package static let batch = 200
    /// Devices that are judged before an administrator is answered, and so are in or out at once where a fleet is small.
    package static let atOnce = 50
    /// Devices that are forgotten in one transaction when a group was removed that its rule had filled.
    package static let forgotten = 1_000
    /// Devices that are judged at once for a preview: also by a rule about people these take some 50 ms.
    package static let previewPart = 2_000
}

/// Why a rule cannot be read.
package struct GroupRuleRefusal: Error, Sendable, Equatable {
    package let rule: String
    /// The character at which it was found, counted from 1; nothing of a rule that was not read from a text.
    package let position: Int?

    package init(_ rule: String, at position: Int? = nil) {
        self.rule = rule
        self.position = position
    }

    package var sentence: String {
        "The rule cannot be read\(position.map { " from character \($0) on" } ?? ""): \(rule)."
    }
}
