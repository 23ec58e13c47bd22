package import Foundation

/// Which entries are asked for.
package struct AuditFilter: Sendable {
    package let actor: String?
    /// Any of these; nil for every action.
    package let actions: [AuditEntry.Action]?
    package let subject: String?
    /// Not before this moment.
    package let since: Date?
    /// Before this moment.
    package let until: Date?

    package init(
        actor: String? = nil, action: AuditEntry.Action? = nil, subject: String? = nil, since: Date? = nil,
        until: Date? = nil
    ) {
        self.init(actor: actor, actions: action.map { [$0] }, subject: subject, since: since, until: until)
    }

    package init(
        actor: String? = nil, actions: [AuditEntry.Action]?, subject: String? = nil, since: Date? = nil,
        until: Date? = nil
    ) {
        self.actor = actor
        self.actions = actions
        self.subject = subject
        self.since = since
        self.until = until
    }
}
