import InputBounds

/// The events that a webhook asks for: actions of the audit log, all of a kind (`secret.*`) or all (`*`), and the
/// feedback of apps.
package struct WebhookEvents: Sendable, Equatable {
    package static let most = 50
    /// The feedback of apps, with its values.
    ///
    /// It is not an action of the audit log, and no pattern matches it: values leave the server only when an
    /// administrator asks for them by this name.
    package static let feedback = "app.feedback"

    package let patterns: [String]

    /// Patterns from the store: they were checked when they came in.
    package init(kept patterns: [String]) { self.patterns = patterns }

    /// Patterns from an administrator; each must match an action that exists.
    package init(parsing patterns: [String]) throws(AdminRefusal) {
        let known = Set(patterns)
        guard (1...Self.most).contains(known.count) else {
            throw .invalid(rule: "A webhook asks for 1 to \(Self.most) kinds of events.")
        }
        if let unknown = patterns.first(where: { !Self.namesSomething($0) }) {
            let words = AuditEntry.Action.patterns + [Self.feedback]
            let meant = NearestWord.to(unknown, among: words).map { " Did you mean \"\($0)\"?" } ?? ""
            throw .invalid(
                rule: """
                    An event is an action of the audit log, all of one kind, such as secret.*, or alert.* for problems \
                    of apps and devices, all of them: *, or \(Self.feedback).\(meant)
                    """)
        }
        self.patterns = known.sorted()
    }

    /// The actions that the patterns match; nil for all, including those that a later version adds.
    package var actions: [String]? {
        guard !patterns.contains("*") else { return nil }
        let asked = Set(patterns.flatMap(AuditEntry.Action.matching))
        return AuditEntry.Action.allCases.filter(asked.contains).map(\.rawValue)
    }

    /// Whether the webhook asks for the feedback of apps.
    package var includeFeedback: Bool { patterns.contains(Self.feedback) }

    /// The permissions that an administrator needs, for every app, to have these events sent.
    ///
    /// Feedback leaves the server with its values: it takes an administrator who may read the feedback of every app.
    package static func needed(toSend patterns: [String]) -> [Permission] {
        patterns.contains(feedback) ? [.manage, .lookInside] : [.manage]
    }

    private static func namesSomething(_ pattern: String) -> Bool {
        pattern == "*" || pattern == feedback || !AuditEntry.Action.matching(pattern).isEmpty
    }
}
