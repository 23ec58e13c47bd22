import InputBounds
import JSONSchema

/// Makes an example of keys follow the rules between them.
///
/// Each key's example knows nothing of its neighbors. What a rule forbids then is taken out, what one asks for is put
/// in, and where neither helps, the value around it goes. Ends after a bounded number of changes.
struct ExampleFitting {
    /// Changes, and what each check may cost: together as much as two checks of a configuration.
    private static let most = 100
    private static let effort = SchemaLimits.effort / 50

    private(set) var example: PropertyListValue
    private let configuration: SpecifiedKey
    private var added: Set<InstancePath> = []
    private var removed: Set<InstancePath> = []

    init(_ example: PropertyListValue, of configuration: SpecifiedKey) {
        self.example = example
        self.configuration = configuration
    }

    mutating func fit(_ schema: JSONSchema) {
        for _ in 0..<Self.most {
            let found = schema.violations(of: example, most: 1, effort: Self.effort)
            guard let violation = found.first, follow(violation) else { return }
        }
    }

    /// Changes the example as one violation asks; false where nothing is left to be tried.
    private mutating func follow(_ violation: SchemaViolation) -> Bool {
        // Where the whole is of none of several forms, the nearest says what it lacks.
        if violation.path.steps.isEmpty {
            guard let reason = violation.reasons.first, !reason.path.steps.isEmpty else { return false }
            return follow(reason)
        }
        var steps = violation.path.steps
        if [.required, .dependentRequired].contains(violation.rule) {
            let isNew = added.insert(violation.path).inserted
            if isNew, let value = key(at: steps)?.example, put(value, at: steps) { return true }
            steps.removeLast()
        }
        while !steps.isEmpty {
            if removed.insert(InstancePath(steps)).inserted, put(nil, at: steps) { return true }
            steps.removeLast()
        }
        return false
    }

    private func key(at steps: [InstanceStep]) -> SpecifiedKey? {
        var key: SpecifiedKey? = configuration
        for step in steps {
            switch step {
            case .key(let name): key = key?[name] ?? key?.values.first
            case .index: key = key?.item.first
            }
        }
        return key
    }

    private mutating func put(_ value: PropertyListValue?, at steps: [InstanceStep]) -> Bool {
        guard let changed = Self.changed(example, steps[...], to: value) else { return false }
        example = changed
        return true
    }

    /// A value with another one, or none, at a place inside; nothing where there is no such place.
    private static func changed(
        _ whole: PropertyListValue, _ steps: ArraySlice<InstanceStep>, to value: PropertyListValue?
    ) -> PropertyListValue? {
        let rest = steps.dropFirst()
        switch (steps.first, whole) {
        case (.key(let name)?, .dictionary(var entries)):
            if rest.isEmpty {
                guard value != nil || entries[name] != nil else { return nil }
                entries[name] = value
            } else {
                guard let inner = entries[name], let new = changed(inner, rest, to: value) else { return nil }
                entries[name] = new
            }
            return .dictionary(entries)
        case (.index(let index)?, .array(var items)):
            guard items.indices.contains(index) else { return nil }
            if !rest.isEmpty {
                guard let new = changed(items[index], rest, to: value) else { return nil }
                items[index] = new
            } else if let value {
                items[index] = value
            } else {
                items.remove(at: index)
            }
            return .array(items)
        default: return nil
        }
    }
}
