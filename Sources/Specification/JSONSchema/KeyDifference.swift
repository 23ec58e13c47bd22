package import InputBounds

/// One key at which two configurations, or other values, differ.
package struct KeyDifference: Hashable, Sendable {
    package enum Change: String, Sendable {
        case added, changed, removed

        package var sign: String {
            switch self {
            case .added: "+"
            case .changed: "~"
            case .removed: "-"
            }
        }
    }

    /// The key, or the item of a list: by its place in the old one if it is gone, else by its place in the new one.
    package let path: InstancePath
    /// Nothing where the key was not there.
    package let old: PropertyListValue?
    /// Nothing where the key is gone.
    package let new: PropertyListValue?

    package var change: Change { old == nil ? .added : new == nil ? .removed : .changed }

    // Of lists that differ in more, it is said only that they do.
    private static let mostItems = 500

    /// Every key at which `new` is another than `old`, in the order of the keys.
    ///
    /// A dictionary that is new or gone as a whole is one difference. Of two lists these are the items that came and
    /// went, or, if they have the same length, those that are others.
    package static func all(from old: PropertyListValue, to new: PropertyListValue) -> [KeyDifference] {
        differences(old, new, at: [])
    }

    private static func differences(
        _ old: PropertyListValue, _ new: PropertyListValue, at steps: [InstanceStep]
    ) -> [KeyDifference] {
        guard old != new else { return [] }
        let parts: [KeyDifference]? =
            switch (old, new) {
            case (.dictionary(let before), .dictionary(let after)): keys(before, after, at: steps)
            case (.array(let before), .array(let after)): items(before, after, at: steps)
            default: nil
            }
        return parts ?? [KeyDifference(path: InstancePath(steps), old: old, new: new)]
    }

    private static func keys(
        _ old: [String: PropertyListValue], _ new: [String: PropertyListValue], at steps: [InstanceStep]
    ) -> [KeyDifference] {
        Set(old.keys).union(new.keys).sorted().flatMap { name -> [KeyDifference] in
            let place = steps + [InstanceStep.key(name)]
            if let before = old[name], let after = new[name] { return differences(before, after, at: place) }
            return [KeyDifference(path: InstancePath(place), old: old[name], new: new[name])]
        }
    }

    /// Nothing for lists that differ in too much.
    private static func items(
        _ old: [PropertyListValue], _ new: [PropertyListValue], at steps: [InstanceStep]
    ) -> [KeyDifference]? {
        if old.count == new.count {
            let pairs = zip(old, new).enumerated().filter { $0.element.0 != $0.element.1 }
            guard pairs.count <= mostItems else { return nil }
            return pairs.flatMap { index, pair in
                differences(pair.0, pair.1, at: steps + [InstanceStep.index(index)])
            }
        }
        guard max(old.count, new.count) <= mostItems else { return nil }
        let difference = new.difference(from: old)
        return (difference.removals + difference.insertions).map { change in
            switch change {
            case .remove(let index, let value, _):
                KeyDifference(path: InstancePath(steps + [.index(index)]), old: value, new: nil)
            case .insert(let index, let value, _):
                KeyDifference(path: InstancePath(steps + [.index(index)]), old: nil, new: value)
            }
        }
    }
}
