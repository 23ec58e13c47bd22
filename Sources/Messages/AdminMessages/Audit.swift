package import Foundation

/// One entry of the audit log, newest first: who did what to what. `GET /audit`
package struct AuditEntry: Codable, Hashable, Sendable {
    package var sequence: Int
    package var time: Date
    /// `administrator:<name>`, `device:<enrollment>`, `operator` or `server`.
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

/// Whether each entry of the audit log still follows from the one before: the result of a job. `POST /audit/verification`
package struct AuditVerification: Codable, Hashable, Sendable {
    package var intact: Bool
    /// How many entries follow, from the first that is kept.
    package var entries: Int
    /// The place of the first entry that is kept: those before it have had their time.
    package var first: Int
    /// The hash of the newest entry that follows: noted elsewhere, it shows later whether the log was rewritten or cut.
    package var head: String?
    /// The first entry that does not follow.
    package var brokenAt: Int?
    /// The rule that is broken there.
    package var rule: String?

    package init(
        intact: Bool, entries: Int, first: Int = 1, head: String? = nil, brokenAt: Int? = nil, rule: String? = nil
    ) {
        self.intact = intact
        self.entries = entries
        self.first = first
        self.head = head
        self.brokenAt = brokenAt
        self.rule = rule
    }
}
