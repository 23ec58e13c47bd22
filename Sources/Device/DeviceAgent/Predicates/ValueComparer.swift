import InputBounds
import Patterns

/// Compares values as NSPredicate does, within a budget.
///
/// Texts are compared by their scalars, so `'9'` comes after `'12'`; with `[c]` capitals and small letters are equal.
struct ValueComparer {
    /// Bytes and steps that one predicate may take.
    private var budget = 2_000_000

    /// Whether nothing is left for another comparison.
    var isSpent: Bool { budget < 0 }

    private typealias Truth = PredicateJudge.Truth

    /// One way to compare two values; what is too much work is open.
    mutating func compare(
        _ left: JSONValue, _ right: JSONValue, by test: ActivationPredicate.Test, ignoresCase: Bool
    ) -> PredicateJudge.Truth {
        let truth = outcome(left, right, test, ignoresCase)
        return isSpent ? .open([.effort]) : truth
    }

    private mutating func outcome(
        _ left: JSONValue, _ right: JSONValue, _ test: ActivationPredicate.Test, _ ignoresCase: Bool
    ) -> Truth {
        switch test {
        case .equal: return equal(left, right, ignoresCase)
        case .unequal: return equal(left, right, ignoresCase).opposite
        case .less: return ordered(left, right, ignoresCase) { $0 < 0 }
        case .lessOrEqual: return ordered(left, right, ignoresCase) { $0 <= 0 }
        case .greater: return ordered(left, right, ignoresCase) { $0 > 0 }
        case .greaterOrEqual: return ordered(left, right, ignoresCase) { $0 >= 0 }
        case .between(let lowest, let highest):
            let above = ordered(left, lowest, ignoresCase) { $0 >= 0 }
            guard case .yes = above else { return above }
            return ordered(left, highest, ignoresCase) { $0 <= 0 }
        case .isIn:
            if case .array(let elements) = right { return has(elements, left, ignoresCase) }
            return texts(left, right, ignoresCase) { $0.holds($2, $1) }
        case .contains:
            if case .array(let elements) = left { return has(elements, right, ignoresCase) }
            return texts(left, right, ignoresCase) { $0.holds($1, $2) }
        case .beginsWith: return texts(left, right, ignoresCase) { _, text, part in text.starts(with: part) }
        case .endsWith:
            return texts(left, right, ignoresCase) { _, text, part in text.reversed().starts(with: part.reversed()) }
        case .like(let pattern):
            return texts(left, .string(""), ignoresCase) { comparer, text, _ in comparer.isLike(text, pattern) }
        case .matches(let pattern):
            guard let text = left.string else { return left.isNull ? .no : .open([.kinds]) }
            guard pay(text.utf8.count), let matches = pattern.matches(text, budget: &budget) else {
                return .open([.effort])
            }
            return Truth(matches)
        }
    }

    // MARK: - Equality and order

    private mutating func equal(_ left: JSONValue, _ right: JSONValue, _ ignoresCase: Bool) -> Truth {
        guard pay(1) else { return .open([.effort]) }
        if let order = Self.order(left, right) { return Truth(order == 0) }
        switch (left, right) {
        case (.string(let one), .string(let other)):
            return Truth(scalars(one, ignoresCase) == scalars(other, ignoresCase))
        case (.array(let some), .array(let others)):
            guard some.count == others.count else { return .no }
            for (one, other) in zip(some, others) {
                let truth = equal(one, other, ignoresCase)
                guard case .yes = truth else { return truth }
            }
            return .yes
        case (.object, .object): return .open([.kinds])
        default: return Truth(left.isNull && right.isNull)
        }
    }

    private mutating func ordered(
        _ left: JSONValue, _ right: JSONValue, _ ignoresCase: Bool, _ passes: (Int) -> Bool
    ) -> Truth {
        guard pay(1) else { return .open([.effort]) }
        if left.isNull || right.isNull { return .no }
        if let order = Self.order(left, right) { return Truth(passes(order)) }
        guard let one = left.string, let other = right.string else { return .open([.kinds]) }
        let (first, second) = (scalars(one, ignoresCase), scalars(other, ignoresCase))
        if first == second { return Truth(passes(0)) }
        return Truth(passes(first.lexicographicallyPrecedes(second) ? -1 : 1))
    }

    /// Below, at or above zero for two numbers; true and false count as 1 and 0, as with NSNumber.
    private static func order(_ left: JSONValue, _ right: JSONValue) -> Int? {
        if let one = integer(left), let other = integer(right) { return one < other ? -1 : one == other ? 0 : 1 }
        guard let one = integer(left).map({ Double($0) }) ?? left.double,
            let other = integer(right).map({ Double($0) }) ?? right.double
        else { return nil }
        return one < other ? -1 : one == other ? 0 : 1
    }

    private static func integer(_ value: JSONValue) -> Int64? {
        switch value {
        case .integer(let number): number
        case .boolean(let value): value ? 1 : 0
        default: nil
        }
    }

    // MARK: - Texts and lists

    private mutating func has(_ elements: [JSONValue], _ value: JSONValue, _ ignoresCase: Bool) -> Truth {
        for element in elements where !isSpent {
            if case .yes = equal(element, value, ignoresCase) { return .yes }
        }
        return .no
    }

    private mutating func texts(
        _ left: JSONValue, _ right: JSONValue, _ ignoresCase: Bool,
        _ passes: (inout ValueComparer, [Unicode.Scalar], [Unicode.Scalar]) -> Bool
    ) -> Truth {
        if left.isNull || right.isNull { return .no }
        guard let one = left.string, let other = right.string else { return .open([.kinds]) }
        let (first, second) = (scalars(one, ignoresCase), scalars(other, ignoresCase))
        return Truth(passes(&self, first, second))
    }

    private mutating func scalars(_ text: String, _ ignoresCase: Bool) -> [Unicode.Scalar] {
        guard pay(text.utf8.count + 1) else { return [] }
        return Array((ignoresCase ? text.lowercased() : text).unicodeScalars)
    }

    /// Whether one text lies within the other, each step paid for.
    private mutating func holds(_ text: [Unicode.Scalar], _ part: [Unicode.Scalar]) -> Bool {
        guard part.count <= text.count else { return false }
        for start in 0...(text.count - part.count) {
            var length = 0
            while length < part.count, text[start + length] == part[length] { length += 1 }
            if length == part.count { return true }
            guard pay(length + 1) else { return false }
        }
        return false
    }

    /// Whether a text is like a pattern in which `*` stands for anything and `?` for one character.
    private mutating func isLike(_ text: [Unicode.Scalar], _ pattern: [Unicode.Scalar]) -> Bool {
        var (place, step) = (0, 0)
        // The last star, and where what it stands for ends: what fails behind it has it stand for one more.
        var star: (step: Int, place: Int)?
        while place < text.count {
            guard pay(1) else { return false }
            if step < pattern.count, pattern[step] == "*" {
                star = (step, place)
                step += 1
            } else if step < pattern.count, pattern[step] == "?" || pattern[step] == text[place] {
                place += 1
                step += 1
            } else if let last = star {
                star = (last.step, last.place + 1)
                (step, place) = (last.step + 1, last.place + 1)
            } else {
                return false
            }
        }
        return pattern[step...].allSatisfy { $0 == "*" }
    }

    /// Takes something off the budget; false if that was not enough.
    private mutating func pay(_ amount: Int) -> Bool {
        budget -= amount
        return budget >= 0
    }
}
