import InputBounds
import JSONSchema

/// One key in which two configurations differ.
struct ConfigurationChange: Hashable, Sendable {
    let path: InstancePath
    /// Nothing where the key was not there.
    let before: PropertyListValue?
    /// Nothing where the key is gone.
    let after: PropertyListValue?
}

/// In which keys two configurations differ, in the order of their keys.
enum ConfigurationDifference {
    /// Items of a list that are compared one by one; of longer ones only that they differ.
    private static let items = 500

    static func changes(from before: PropertyListValue, to after: PropertyListValue) -> [ConfigurationChange] {
        var changes: [ConfigurationChange] = []
        compare(before, after, InstancePath(), &changes)
        return changes
    }

    private static func compare(
        _ before: PropertyListValue, _ after: PropertyListValue, _ path: InstancePath,
        _ changes: inout [ConfigurationChange]
    ) {
        guard before != after else { return }
        switch (before, after) {
        case (.dictionary(let old), .dictionary(let new)):
            for name in Set(old.keys).union(new.keys).sorted() {
                let place = InstancePath(path.steps + [.key(name)])
                if let one = old[name], let other = new[name] {
                    compare(one, other, place, &changes)
                } else {
                    changes.append(ConfigurationChange(path: place, before: old[name], after: new[name]))
                }
            }
        case (.array(let old), .array(let new)) where max(old.count, new.count) <= items:
            compare(old, new, path, &changes)
        default: changes.append(ConfigurationChange(path: path, before: before, after: after))
        }
    }

    private static func compare(
        _ old: [PropertyListValue], _ new: [PropertyListValue], _ path: InstancePath,
        _ changes: inout [ConfigurationChange]
    ) {
        let place = { (index: Int) in InstancePath(path.steps + [.index(index)]) }
        guard old.count != new.count else {
            for (index, pair) in zip(old, new).enumerated() { compare(pair.0, pair.1, place(index), &changes) }
            return
        }
        for change in new.difference(from: old) {
            switch change {
            case .remove(let index, let value, _):
                changes.append(ConfigurationChange(path: place(index), before: value, after: nil))
            case .insert(let index, let value, _):
                changes.append(ConfigurationChange(path: place(index), before: nil, after: value))
            }
        }
    }
}
