package import Foundation

/// One entry of the audit log, newest first: who did what to what. `GET /audit`
package struct AuditEntry: Codable, Hashable, Sendable {
    package var sequence: Int
    package var time: Date
    /// `administrator:<name>`, `device:<enrollment>` or `operator`.
    package var actor: String
    /// What was done, such as `secret.set` or `secret.release`.
    package var action: String
    /// What it was done to: a name, or names joined by slashes.
    package var subject: String
    package var details: JSON
    /// SHA-256 over this entry and the hash of the one before, in lowercase hexadecimal digits.
    package var hash: String

    package init(
        sequence: Int, time: Date, actor: String, action: String, subject: String, details: JSON, hash: String
    ) {
        self.sequence = sequence
        self.time = time
        self.actor = actor
        self.action = action
        self.subject = subject
        self.details = details
        self.hash = hash
    }
}

/// Whether each entry of the audit log still follows from the one before. `GET /audit/verification`
package struct AuditVerification: Codable, Hashable, Sendable {
    package var intact: Bool
    /// How many entries follow, from the first.
    package var entries: Int
    /// The hash of the newest entry that follows: noted elsewhere, it shows later whether the log was rewritten or cut.
    package var head: String?
    /// The first entry that does not follow.
    package var brokenAt: Int?

    package init(intact: Bool, entries: Int, head: String? = nil, brokenAt: Int? = nil) {
        self.intact = intact
        self.entries = entries
        self.head = head
        self.brokenAt = brokenAt
    }
}
