package import InputBounds

/// One key at which two values differ.
package struct KeyDifference: Sendable, Equatable {
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

    /// Such as `servers[0].port`; empty for the whole.
    package let path: String
    package let change: Change
    package let old: PropertyListValue?
    package let new: PropertyListValue?

    /// Every key at which `new` is another than `old`, in the order of the keys.
    ///
    /// A dictionary that is new or gone as a whole is one difference, and so is an array of another length.
    package static func all(from old: PropertyListValue, to new: PropertyListValue) -> [KeyDifference] {
        differences(old, new, at: "")
    }

    private static func differences(
        _ old: PropertyListValue, _ new: PropertyListValue, at path: String
    ) -> [KeyDifference] {
        guard old != new else { return [] }
        switch (old, new) {
        case (.dictionary(let before), .dictionary(let after)):
            return Set(before.keys).union(after.keys).sorted().flatMap { key in
                let place = step(path, key)
                return switch (before[key], after[key]) {
                case (let before?, let after?): differences(before, after, at: place)
                case (nil, let after?): [KeyDifference(path: place, change: .added, old: nil, new: after)]
                case (let before, nil): [KeyDifference(path: place, change: .removed, old: before, new: nil)]
                }
            }
        case (.array(let before), .array(let after)) where before.count == after.count:
            return before.indices.flatMap { differences(before[$0], after[$0], at: "\(path)[\($0)]") }
        default:
            return [KeyDifference(path: path, change: .changed, old: old, new: new)]
        }
    }

    /// A key that would be read as several is written in quotation marks.
    private static func step(_ path: String, _ key: String) -> String {
        let isPlain = !key.isEmpty && !key.contains { ".[]\"".contains($0) || $0.isWhitespace }
        let text = isPlain ? key : "\"\(key)\""
        return path.isEmpty ? text : "\(path).\(text)"
    }
}
