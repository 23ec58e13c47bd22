import AdminMessages
import Foundation
import InputBounds
import JSONSchema

/// A plan as people read it.
package struct PlanText {
    package let plan: Plan
    /// Whether values are shown beside the keys; those of secrets never are.
    package let showsValues: Bool

    package init(_ plan: Plan, showsValues: Bool = false) {
        self.plan = plan
        self.showsValues = showsValues
    }

    package var text: String {
        var lines = plan.steps.flatMap(lines)
        if !plan.kept.isEmpty {
            lines.append("Not in the directory, and stays (--prune removes it):")
            lines += plan.kept.map { "  \($0)" }
        }
        return (lines + [summary]).joined(separator: "\n")
    }

    package var summary: String {
        guard !plan.isEmpty else { return "Nothing to do: \(plan.unchanged.count) unchanged." }
        return
            "Plan: \(plan.count(.create)) to create, \(plan.count(.change)) to change, \(plan.count(.remove)) to remove, "
            + "\(plan.unchanged.count) unchanged."
    }

    package static func line(_ step: Plan.Step) -> String {
        let sign: KeyDifference.Change =
            switch step.change {
            case .create: .added
            case .change: .changed
            case .remove: .removed
            }
        return "\(sign.sign) \(step.thing)"
    }

    private func lines(_ step: Plan.Step) -> [String] {
        let details = step.differences.map { difference in
            "    \(difference.keyText)" + values(difference, step)
        }
        return [Self.line(step)] + details
    }

    private func values(_ difference: KeyDifference, _ step: Plan.Step) -> String {
        // The plan describes a secret by its marker, never by its value, so it may show that.
        guard showsValues || ![.configuration, .setting].contains(step.thing.kind) else { return "" }
        return difference.valuesText
    }
}

/// A plan as programs read it.
package struct PlanReport: Encodable {
    package struct Thing: Encodable {
        let kind: String
        let name: String

        init(_ thing: FleetThing) { (kind, name) = (thing.kind.rawValue, thing.name) }
    }

    package struct Step: Encodable {
        let kind: String
        let name: String
        let action: Plan.Change
        let keys: [Key]
        let isDone: Bool
    }

    package struct Key: Encodable {
        let path: String
        let change: String
    }

    package struct Check: Encodable {
        let kind: String
        let name: String
        let errors: [Finding]
        let warnings: [String]
    }

    let steps: [Step]
    let unchanged: Int
    let kept: [Thing]
    let checks: [Check]

    init(_ plan: Plan, done: Int, checks: [ConfigurationFindings]) {
        steps = plan.steps.enumerated().map { index, step in
            Step(
                kind: step.thing.kind.rawValue, name: step.thing.name, action: step.change,
                keys: step.differences.map { Key(path: $0.path.description, change: $0.change.rawValue) },
                isDone: index < done)
        }
        unchanged = plan.unchanged.count
        kept = plan.kept.map(Thing.init)
        self.checks = checks.map {
            Check(
                kind: $0.thing.kind.rawValue, name: $0.thing.name, errors: $0.check.errors, warnings: $0.check.warnings)
        }
    }
}
