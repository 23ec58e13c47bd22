package import Foundation
package import InputBounds

/// What a decision wants written down in the audit log, with the change itself.
package struct AuditRecord: Sendable, Equatable {
    package let action: AuditEntry.Action
    /// What it is done to: a name, or names joined by slashes.
    package let subject: String
    package let details: [String: JSONValue]
    package let actor: AuditActor
    package let time: Date

    package init(
        _ action: AuditEntry.Action, _ subject: String, _ details: [String: JSONValue] = [:], by actor: AuditActor,
        at time: Date
    ) {
        self.action = action
        self.subject = subject
        self.details = details
        self.actor = actor
        self.time = time
    }
}
