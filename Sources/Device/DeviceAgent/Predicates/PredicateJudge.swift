import InputBounds

extension ActivationPredicate {
    /// The result of a predicate.
    package enum Answer: Equatable, Sendable {
        case holds, fails
        /// It depends on comparisons that are neither true nor false.
        case undecided(Set<Gap>)
    }

    /// Why a comparison is neither true nor false.
    package enum Gap: Hashable, Sendable {
        /// The item is not known.
        case unknown(Item)
        /// The values are of kinds that are not compared this way.
        case kinds
        /// The comparison takes more work than a predicate may.
        case effort
    }

    /// Evaluates the predicate for what is known.
    package func answer(_ facts: PredicateFacts) -> Answer {
        var judge = PredicateJudge(facts: facts)
        return switch judge.truth(of: condition) {
        case .yes: .holds
        case .no: .fails
        case .open(let gaps): .undecided(gaps)
        }
    }
}

/// Evaluates one predicate; what is unknown stays unknown unless the rest decides without it.
struct PredicateJudge {
    enum Truth {
        case yes, no
        case open(Set<ActivationPredicate.Gap>)

        init(_ holds: Bool) { self = holds ? .yes : .no }

        var opposite: Truth {
            switch self {
            case .yes: .no
            case .no: .yes
            case .open: self
            }
        }
    }

    private let facts: PredicateFacts
    private var comparer = ValueComparer()

    init(facts: PredicateFacts) { self.facts = facts }

    mutating func truth(of condition: ActivationPredicate.Condition) -> Truth {
        switch condition {
        case .constant(let holds): Truth(holds)
        case .not(let condition): truth(of: condition).opposite
        case .all(let conditions): first(false, of: conditions) { $0.truth(of: $1) }
        case .any(let conditions): first(true, of: conditions) { $0.truth(of: $1) }
        case .comparison(let comparison): truth(of: comparison)
        }
    }

    /// `decisive` if one element has that truth; otherwise open if one is open.
    private mutating func first<Element>(
        _ decisive: Bool, of elements: [Element], _ truth: (inout PredicateJudge, Element) -> Truth
    ) -> Truth {
        var gaps: Set<ActivationPredicate.Gap> = []
        for element in elements {
            if comparer.isSpent { return .open([.effort]) }
            switch truth(&self, element) {
            case .yes: if decisive { return .yes }
            case .no: if !decisive { return .no }
            case .open(let more): gaps.formUnion(more)
            }
        }
        return gaps.isEmpty ? Truth(!decisive) : .open(gaps)
    }

    private mutating func truth(of comparison: ActivationPredicate.Comparison) -> Truth {
        let (left, right) = (comparison.left, comparison.right)
        guard let first = value(of: left, against: right) else { return unknown(left) }
        guard let second = value(of: right, against: left) else { return unknown(right) }
        guard comparison.scope != .value else { return compare(first, second, comparison) }
        guard case .array(let elements) = first else { return .open([.kinds]) }
        let truth = self.first(comparison.scope != .eachElement, of: elements) { $0.compare($1, second, comparison) }
        return comparison.scope == .noElement ? truth.opposite : truth
    }

    private mutating func compare(
        _ left: JSONValue, _ right: JSONValue, _ comparison: ActivationPredicate.Comparison
    ) -> Truth {
        comparer.compare(left, right, by: comparison.test, ignoresCase: comparison.ignoresCase)
    }

    /// The value of a term.
    ///
    /// A property that no declaration sets is nil where it is compared with nil, and unknown elsewhere.
    private func value(
        of term: ActivationPredicate.Term, against other: ActivationPredicate.Term
    ) -> JSONValue? {
        guard case .item(let item) = term else { return term.literal }
        if let value = facts.value(of: item) { return value }
        return other.literal?.isNull == true && facts.hasNo(item) ? JSONValue.null : nil
    }

    private func unknown(_ term: ActivationPredicate.Term) -> Truth {
        guard case .item(let item) = term else { return .open([.kinds]) }
        return .open([.unknown(item)])
    }
}
