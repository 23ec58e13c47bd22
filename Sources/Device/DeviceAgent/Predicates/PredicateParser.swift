import InputBounds
import Patterns

/// Makes a condition of a predicate's tokens, looking at each once.
struct PredicateParser {
    private typealias Refusal = ActivationPredicate.Refusal
    private typealias Condition = ActivationPredicate.Condition
    private typealias Comparison = ActivationPredicate.Comparison
    private typealias Term = ActivationPredicate.Term
    private typealias Test = ActivationPredicate.Test

    /// Parentheses and NOTs within each other.
    private static let deepest = 64
    /// Steps of one pattern of MATCHES: a predicate may have hundreds of them.
    private static let patternSteps = 1_000

    private let tokens: [PredicateToken]
    private let end: Int
    private var index = 0
    private var depth = 0

    /// Prepares to read `tokens`, behind which the text ends at `end`.
    init(_ tokens: [PredicateToken], end: Int) {
        self.tokens = tokens
        self.end = end
    }

    mutating func parse() throws(ActivationPredicate.Refusal) -> ActivationPredicate.Condition {
        let condition = try either()
        guard index == tokens.count else { throw refusal("the predicate is at its end, and more follows") }
        return condition
    }

    // MARK: - Conditions

    private mutating func either() throws(Refusal) -> Condition {
        var conditions = [try both()]
        while take("OR", "||") { conditions.append(try both()) }
        return conditions.count == 1 ? conditions[0] : .any(conditions)
    }

    private mutating func both() throws(Refusal) -> Condition {
        var conditions = [try single()]
        while take("AND", "&&") { conditions.append(try single()) }
        return conditions.count == 1 ? conditions[0] : .all(conditions)
    }

    private mutating func single() throws(Refusal) -> Condition {
        depth += 1
        defer { depth -= 1 }
        guard depth <= Self.deepest else {
            throw refusal("parentheses and NOTs may be nested \(Self.deepest) deep")
        }
        if take("NOT", "!") { return .not(try single()) }
        if take("TRUEPREDICATE") { return .constant(true) }
        if take("FALSEPREDICATE") { return .constant(false) }
        guard !isValueInParentheses, take("(") else { return .comparison(try comparison()) }
        let condition = try either()
        guard take(")") else { throw refusal("a parenthesis is not closed, or an operator is missing before this") }
        return condition
    }

    private mutating func comparison() throws(Refusal) -> Comparison {
        let scope = elements()
        let left = try term()
        guard index < tokens.count, case .sign(let sign) = tokens[index].kind, let relation = Self.relations[sign]
        else { throw refusal("an operator that compares is expected") }
        index += 1
        var ignoresCase = false
        if index < tokens.count, case .modifier(let letters) = tokens[index].kind {
            guard letters == "C" else { throw refusal("of modifiers only [c] is evaluated") }
            ignoresCase = true
            index += 1
        }
        let place = index
        let right = try term()
        let test: Test
        do throws(Unfit) {
            test = try Self.test(relation, right, ignoresCase)
        } catch {
            throw refusal(error.rule, at: place)
        }
        return Comparison(scope: scope, left: left, test: test, ignoresCase: ignoresCase, right: right)
    }

    private mutating func elements() -> Comparison.Scope {
        if take("ANY", "SOME") { return .someElement }
        if take("ALL") { return .eachElement }
        return take("NONE") ? .noElement : .value
    }

    // MARK: - Tests

    private enum Relation {
        case equal, unequal, less, lessOrEqual, greater, greaterOrEqual
        case isIn, contains, beginsWith, endsWith, between, like, matches
    }

    private static let relations: [String: Relation] = [
        "=": .equal, "==": .equal, "!=": .unequal, "<>": .unequal, "<": .less, "<=": .lessOrEqual,
        "=<": .lessOrEqual, ">": .greater, ">=": .greaterOrEqual, "=>": .greaterOrEqual, "IN": .isIn,
        "CONTAINS": .contains, "BEGINSWITH": .beginsWith, "ENDSWITH": .endsWith, "BETWEEN": .between, "LIKE": .like,
        "MATCHES": .matches,
    ]

    private struct Unfit: Error {
        let rule: String
    }

    private static func test(_ relation: Relation, _ right: Term, _ ignoresCase: Bool) throws(Unfit) -> Test {
        switch relation {
        case .equal: return .equal
        case .unequal: return .unequal
        case .less: return .less
        case .lessOrEqual: return .lessOrEqual
        case .greater: return .greater
        case .greaterOrEqual: return .greaterOrEqual
        case .isIn: return .isIn
        case .contains: return .contains
        case .beginsWith: return .beginsWith
        case .endsWith: return .endsWith
        case .between:
            guard let bounds = right.literal?.array, bounds.count == 2 else {
                throw Unfit(rule: "BETWEEN takes a list of two values")
            }
            return .between(bounds[0], bounds[1])
        case .like:
            guard let text = right.literal?.string else { throw Unfit(rule: "LIKE takes a text") }
            return .like(Array((ignoresCase ? text.lowercased() : text).unicodeScalars))
        case .matches:
            guard let text = right.literal?.string else { throw Unfit(rule: "MATCHES takes a text") }
            guard !ignoresCase else { throw Unfit(rule: "MATCHES with [c] is not evaluated") }
            // What is looked ahead for stands right after the first "^", and without a "|" outside of groups.
            let looksAhead = ["^(?=", "^(?!"].contains { text.hasPrefix($0) }
            // By itself first: of a text such as "a)|(b" the parentheses around it would make a pattern.
            guard (try? Pattern(text, most: patternSteps)) != nil,
                let pattern = try? Pattern(looksAhead ? text + "$" : "^(?:" + text + ")$", most: patternSteps)
            else { throw Unfit(rule: "MATCHES takes a regular expression that is matched in bounded time") }
            return .matches(pattern)
        }
    }

    // MARK: - Values

    private mutating func term() throws(Refusal) -> Term {
        if take("{") { return .literal(.array(try list())) }
        guard take("(") else { return try value() }
        let inner = try value()
        guard take(")") else { throw refusal("a parenthesis is not closed, or what is in it is not evaluated") }
        return inner
    }

    private mutating func list() throws(Refusal) -> [JSONValue] {
        var values: [JSONValue] = []
        if take("}") { return values }
        repeat {
            guard let literal = try value().literal else { throw refusal("a list has texts and numbers alone") }
            values.append(literal)
        } while take(",")
        guard take("}") else { throw refusal("a list is not closed") }
        return values
    }

    private mutating func value() throws(Refusal) -> Term {
        guard index < tokens.count, let term = Self.value(tokens[index].kind) else {
            throw refusal("a value is expected: a text, a number, a list, @status or @property")
        }
        index += 1
        return term
    }

    private static func value(_ token: PredicateToken.Kind) -> Term? {
        switch token {
        case .literal(let value): .literal(value)
        case .item(let item): .item(item)
        case .sign("TRUE"), .sign("YES"): .literal(.boolean(true))
        case .sign("FALSE"), .sign("NO"): .literal(.boolean(false))
        case .sign("NULL"), .sign("NIL"): .literal(.null)
        case .sign, .modifier: nil
        }
    }

    /// Whether the parenthesis that is next has nothing but one value in it.
    private var isValueInParentheses: Bool {
        index + 2 < tokens.count && tokens[index].kind == .sign("(") && Self.value(tokens[index + 1].kind) != nil
            && tokens[index + 2].kind == .sign(")")
    }

    // MARK: - Tokens

    private mutating func take(_ signs: String...) -> Bool {
        guard index < tokens.count, case .sign(let sign) = tokens[index].kind, signs.contains(sign) else {
            return false
        }
        index += 1
        return true
    }

    private func refusal(_ rule: String, at place: Int? = nil) -> Refusal {
        let index = place ?? self.index
        return Refusal(place: index < tokens.count ? tokens[index].place : end, rule: rule)
    }
}
