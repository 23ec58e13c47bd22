/// Patterns, by which administrators ask for actions: one by its name, or all of a kind, such as `secret.*`.
extension AuditEntry.Action {
    /// The actions that a pattern matches, in their order; none if it matches nothing.
    package static func matching(_ pattern: String) -> [AuditEntry.Action] {
        guard pattern.hasSuffix(".*"), pattern.count > 2 else { return allCases.filter { $0.rawValue == pattern } }
        return allCases.filter { $0.rawValue.hasPrefix(pattern.dropLast()) }
    }

    /// Every pattern that matches something: each action, then each kind.
    package static let patterns: [String] = {
        let actions = allCases.map(\.rawValue)
        var kinds: Set<String> = []
        for action in actions {
            for dot in action.indices where action[dot] == "." { kinds.insert("\(action[..<dot]).*") }
        }
        return actions + kinds.sorted()
    }()
}
