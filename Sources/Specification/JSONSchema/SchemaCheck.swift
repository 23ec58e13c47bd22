import InputBounds
import Patterns

/// Holds one value against a schema, and gathers what it breaks.
struct SchemaCheck {
    private static let reasons = 8

    private let nodes: [SchemaNode]
    private var most: Int
    private var effort: Int
    private var found: [SchemaViolation] = []
    private var path = InstancePath()
    private var depth = 0
    /// How many asked only whether a value fits.
    private var quiet = 0
    private(set) var isExhausted = false
    /// Whether what is noted is the reason of something.
    private var isReason = false

    init(nodes: [SchemaNode], most: Int, effort: Int) {
        self.nodes = nodes
        self.most = most
        self.effort = effort
    }

    /// What was found; one thing alone where the check came to no end.
    var findings: [SchemaViolation] {
        guard isExhausted else { return found }
        return [
            SchemaViolation(
                path: InstancePath(), rule: .effort, place: "",
                found: "one that would take too long to check",
                allowed: "must be checkable in bounded time", suggestion: nil, reasons: [])
        ]
    }

    /// Whether the value fits; what it breaks is noted.
    @discardableResult
    mutating func hold<Value: SchemaInstance>(_ index: Int, against value: Value) -> Bool {
        depth += 1
        defer { depth -= 1 }
        let node = nodes[index]
        guard spend(4 + 2 * node.rules.count), depth <= SchemaLimits.depth else {
            isExhausted = true
            return true
        }
        var fits = true
        let view = value.view
        for rule in node.rules {
            if !follows(rule, value, view, node) { fits = false }
            if isExhausted || !fits && (quiet > 0 || found.count >= most) { return fits }
        }
        return fits
    }

    // MARK: What the rules use

    /// Whether a value fits, without a note.
    mutating func fits(_ index: Int, _ value: some SchemaInstance) -> Bool {
        quiet += 1
        defer { quiet -= 1 }
        return hold(index, against: value)
    }

    /// What a value breaks of a schema that it need not follow.
    ///
    /// A few, and without reasons of their own: forms within forms would otherwise come to more than anybody reads.
    mutating func objections(_ index: Int, _ value: some SchemaInstance) -> [SchemaViolation] {
        guard !isReason else { return [] }
        let before = (found, most)
        (found, most, isReason) = ([], Self.reasons, true)
        defer { (found, most, isReason) = (before.0, before.1, false) }
        hold(index, against: value)
        return found
    }

    /// The same inside the value.
    mutating func hold(
        _ index: Int, _ step: @autoclosure () -> InstanceStep, _ value: some SchemaInstance
    ) -> Bool {
        // Nothing is noted, so nobody asks where.
        if isQuiet { return hold(index, against: value) }
        path.steps.append(step())
        defer { path.steps.removeLast() }
        return hold(index, against: value)
    }

    /// Whether there is time for so much work: a step is what a pattern does with a character, some ten nanoseconds.
    mutating func spend(_ steps: Int) -> Bool {
        effort -= steps
        if effort < 0 { isExhausted = true }
        return !isExhausted
    }

    /// Whether a text matches; texts that would take too long end the check.
    mutating func matches(_ pattern: Pattern, _ text: String) -> Bool {
        guard let matches = pattern.matches(text, budget: &effort) else {
            isExhausted = true
            return true
        }
        return matches
    }

    /// Notes that a rule is broken here, and answers that the value does not fit.
    mutating func broken<Value: SchemaInstance>(
        _ rule: SchemaRule, _ view: InstanceView<Value>, _ node: SchemaNode, _ allowed: @autoclosure () -> String,
        found what: @autoclosure () -> String? = nil, at step: InstanceStep? = nil,
        suggestion: @autoclosure () -> String? = nil, reasons: [SchemaViolation] = [], under: String? = nil
    ) -> Bool {
        guard quiet == 0, found.count < most else { return false }
        found.append(
            SchemaViolation(
                path: InstancePath(path.steps + (step.map { [$0] } ?? [])), rule: rule,
                place: node.place + "/" + (under ?? rule.rawValue), found: what() ?? view.name, allowed: allowed(),
                suggestion: suggestion(), reasons: reasons))
        return false
    }

    var isQuiet: Bool { quiet > 0 }
}
