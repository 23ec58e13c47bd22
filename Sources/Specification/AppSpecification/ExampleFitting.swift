package import InputBounds
package import JSONSchema

/// Makes an example of keys follow the rules between them.
///
/// Each key's example knows nothing of its neighbors. What a rule forbids then is taken out, and what one asks for is put
/// in. Where a key is both asked for and forbidden, what the condition looks at gets another value. Where nothing helps,
/// the value around goes. Other ways are tried where one leads nowhere, up to a bounded number of checks and trials.
package struct ExampleFitting {
    /// Checks, and what each may cost: together as much as four checks of a configuration, and what conditions cost.
    package static let mostChecks = 200
    /// Trials of parts of conditions.
    package static let mostTrials = ConditionTrials.most
    private static let effort = SchemaLimits.effort / 50

    /// What fits, or what the first way came to if none does.
    package private(set) var example: PropertyListValue
    private let configuration: SpecifiedKey
    private let conditions = ConditionTrials()
    package private(set) var checks = 0
    private var hasEnded = false

    package init(_ example: PropertyListValue, of configuration: SpecifiedKey) {
        self.example = example
        self.configuration = configuration
    }

    package var trials: Int { conditions.count }

    package mutating func fit(_ schema: JSONSchema) {
        _ = follow(ExampleAttempt(example), schema)
    }

    /// Whether the attempt, or one that goes on from it, fits.
    private mutating func follow(_ attempt: ExampleAttempt, _ schema: JSONSchema) -> Bool {
        guard checks < Self.mostChecks else { return end(attempt) }
        checks += 1
        let found = schema.violations(of: attempt.example, most: 1, effort: Self.effort)
        guard let violation = found.first else {
            example = attempt.example
            return true
        }
        // Where the whole is of none of several forms, the nearest says what it lacks.
        let reason = violation.path.steps.isEmpty ? violation.reasons.first { !$0.path.steps.isEmpty } : nil
        let place = RulePlace(of: violation, in: schema.document)
        let inner = reason.map { RulePlace(of: $0, in: schema.document) }
        for next in plain(reason ?? violation, inner ?? place, attempt) where follow(next, schema) { return true }
        for next in settled(violation, place, inner, attempt) where follow(next, schema) { return true }
        var steps = (reason ?? violation).path.steps
        while !steps.isEmpty {
            steps.removeLast()
            guard !steps.isEmpty, let next = attempt.removing(InstancePath(steps)) else { continue }
            return follow(next, schema)
        }
        return end(attempt)
    }

    private mutating func end(_ attempt: ExampleAttempt) -> Bool {
        if !hasEnded { example = attempt.example }
        hasEnded = true
        return false
    }

    /// What one key alone can do: come, take a value that is listed, or go.
    private func plain(
        _ violation: SchemaViolation, _ place: RulePlace, _ attempt: ExampleAttempt
    ) -> [ExampleAttempt] {
        let path = violation.path
        let key = configuration.key(at: path.steps)
        switch violation.rule {
        case .required, .dependentRequired:
            return [key.flatMap { attempt.adding($0.example, at: path) }].compactMap(\.self)
        case .enum, .const:
            let listed = violation.rule == .const ? place.keyword.map { [$0] } : place.keyword?.array
            let first = listed?.first.flatMap { try? (key ?? SpecifiedKey("", .any)).propertyList($0) }
            let set = first.flatMap { attempt.settling([ExampleChange(path.steps, $0)]) }
            return [set, attempt.removing(path)].compactMap(\.self)
        default: return [attempt.removing(path)].compactMap(\.self)
        }
    }

    /// What other keys can do: no condition asks for what is broken any more.
    private func settled(
        _ violation: SchemaViolation, _ place: RulePlace, _ inner: RulePlace?, _ attempt: ExampleAttempt
    ) -> [ExampleAttempt] {
        var goals = (inner?.conditions ?? []) + place.conditions
        for index in goals.indices { goals[index].holds.toggle() }
        let steps = violation.path.steps
        switch violation.rule {
        case .not: goals += [place.keyword].compactMap(\.self).map { SchemaCondition($0, holds: false, at: steps) }
        case .anyOf, .oneOf:
            let forms = place.keyword?.array ?? []
            goals += forms.map { SchemaCondition($0, holds: true, at: steps) }
            if violation.rule == .oneOf { goals += forms.map { SchemaCondition($0, holds: false, at: steps) } }
        default: break
        }
        let changes = ConditionChanges(of: configuration, by: conditions)
        // More would have more ways than there are checks.
        return goals.prefix(16).flatMap { goal in
            changes.ways(to: goal, in: attempt.example).compactMap { attempt.settling($0) }
        }
    }
}

extension SpecifiedKey {
    /// The key of a value that lies in this one.
    func key(at steps: [InstanceStep]) -> SpecifiedKey? {
        var key: SpecifiedKey? = self
        for step in steps {
            switch step {
            case .key(let name): key = key?[name] ?? key?.values.first
            case .index: key = key?.item.first
            }
        }
        return key
    }
}
