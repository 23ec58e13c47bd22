/// Which entries of the audit log a webhook is told of: actions, all actions of a kind (`secret.*`), or all (`*`).
package struct WebhookEvents: Sendable, Equatable {
    package static let most = 50

    package let patterns: [String]

    /// What was kept: it was judged when it came.
    package init(kept patterns: [String]) { self.patterns = patterns }

    /// What an administrator asks for; each pattern must name an action that there is.
    package init(parsing patterns: [String]) throws(AdminRefusal) {
        let known = Set(patterns)
        guard (1...Self.most).contains(known.count) else {
            throw .invalid(rule: "A webhook is told of 1 to \(Self.most) kinds of events.")
        }
        guard known.allSatisfy(Self.namesSomething) else {
            throw .invalid(
                rule: "An event is an action of the audit log, all of one kind, such as secret.*, or all of them: *.")
        }
        self.patterns = known.sorted()
    }

    /// The actions that are meant; nothing for all, those too that a later version brings.
    package var actions: [String]? {
        guard !patterns.contains("*") else { return nil }
        return AuditEntry.Action.allCases.map(\.rawValue).filter { action in
            patterns.contains { Self.matches($0, action) }
        }
    }

    private static func namesSomething(_ pattern: String) -> Bool {
        pattern == "*" || AuditEntry.Action.allCases.contains { matches(pattern, $0.rawValue) }
    }

    private static func matches(_ pattern: String, _ action: String) -> Bool {
        guard pattern.hasSuffix(".*") else { return pattern == action }
        return pattern.count > 2 && action.hasPrefix(pattern.dropLast())
    }
}
