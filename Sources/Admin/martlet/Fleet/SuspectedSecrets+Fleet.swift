package import AdminMessages
import AppSpecification
import InputBounds
import JSONSchema

extension FleetWish {
    private static let asDefaults: Set<String> = [Delivery.defaults.rawValue, Delivery.both.rawValue]
    /// Where an assignment says what it delivers, and how.
    private static let deliveryKeys: Set<InstancePath> = [
        InstancePath(), InstancePath([.key("delivery")]), InstancePath([.key("configuration")]),
    ]

    /// Values that look like secrets and that a step of a plan brings into user defaults; the server knows of an
    /// assignment of the same plan only afterwards.
    package func suspectedSecrets(by step: Plan.Step) -> [Finding] {
        switch step.thing {
        case .configuration(let app, let name):
            return isDeliveredAsDefaults(name, of: app) ? suspectedSecrets(in: step.thing) : []
        case .assignment(_, let app):
            guard let facts = items[step.thing]?.facts, Self.isAsDefaults(facts),
                let name = facts["configuration"]?.string,
                step.change == .create || step.differences.contains(where: { Self.deliveryKeys.contains($0.path) })
            else { return [] }
            return suspectedSecrets(in: .configuration(app: app, name: name))
        default: return []
        }
    }

    private func suspectedSecrets(in configuration: FleetThing) -> [Finding] {
        guard let root = items[configuration]?.facts else { return [] }
        return SuspectedSecrets.all(in: root).map(\.finding).map { finding in
            Finding(
                path: finding.path.description, rule: finding.rule, message: finding.message,
                suggestion: finding.suggestion)
        }
    }

    private func isDeliveredAsDefaults(_ name: String, of app: String) -> Bool {
        items.contains { thing, item in
            guard case .assignment(_, app) = thing else { return false }
            return item.facts["configuration"] == .string(name) && Self.isAsDefaults(item.facts)
        }
    }

    private static func isAsDefaults(_ facts: PropertyListValue) -> Bool {
        facts["delivery"]?.string.map(asDefaults.contains) ?? false
    }
}
