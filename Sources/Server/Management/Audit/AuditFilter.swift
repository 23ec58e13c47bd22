package import Foundation

/// Which entries are asked for.
package struct AuditFilter: Sendable {
    package let actor: String?
    package let action: AuditEntry.Action?
    package let subject: String?
    /// Not before this moment.
    package let since: Date?
    /// Before this moment.
    package let until: Date?

    package init(
        actor: String? = nil, action: AuditEntry.Action? = nil, subject: String? = nil, since: Date? = nil,
        until: Date? = nil
    ) {
        self.actor = actor
        self.action = action
        self.subject = subject
        self.since = since
        self.until = until
    }
}
