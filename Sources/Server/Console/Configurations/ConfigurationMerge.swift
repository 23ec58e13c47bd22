import InputBounds
import JSONSchema

/// Two people's changes to one configuration, put together key by key.
///
/// A change by one person alone is taken. If both changed a key to different values, the person who merges chooses.
struct ConfigurationMerge: Sendable {
    enum Side: String, Sendable {
        case mine, theirs
    }

    /// A key that somebody changed.
    struct Step: Hashable, Sendable {
        enum Outcome: Hashable, Sendable {
            case mine, theirs, both, conflict
        }

        let path: InstancePath
        let base: PropertyListValue?
        let mine: PropertyListValue?
        let theirs: PropertyListValue?
        let outcome: Outcome
    }

    private(set) var steps: [Step] = []
    private(set) var merged: PropertyListValue = .dictionary([:])

    var conflicts: Bool { steps.contains { $0.outcome == .conflict } }

    init(base: PropertyListValue, mine: PropertyListValue, theirs: PropertyListValue, preferring side: Side) {
        merged = merge(base, mine, theirs, InstancePath(), side) ?? .dictionary([:])
    }

    private mutating func merge(
        _ base: PropertyListValue?, _ mine: PropertyListValue?, _ theirs: PropertyListValue?, _ path: InstancePath,
        _ side: Side
    ) -> PropertyListValue? {
        if case .dictionary(let own) = mine, case .dictionary(let other) = theirs {
            // Where there was nothing before, both begin with an empty one.
            let old = base?.dictionary ?? [:]
            var entries: [String: PropertyListValue] = [:]
            for name in Set(old.keys).union(own.keys).union(other.keys).sorted() {
                let place = InstancePath(path.steps + [.key(name)])
                entries[name] = merge(old[name], own[name], other[name], place, side)
            }
            return .dictionary(entries)
        }
        let outcome: Step.Outcome
        let value: PropertyListValue?
        switch (mine == base, theirs == base) {
        case (true, true): return base
        case (false, true): (outcome, value) = (.mine, mine)
        case (true, false): (outcome, value) = (.theirs, theirs)
        case (false, false):
            (outcome, value) = mine == theirs ? (.both, mine) : (.conflict, side == .mine ? mine : theirs)
        }
        steps.append(Step(path: path, base: base, mine: mine, theirs: theirs, outcome: outcome))
        return value
    }
}
