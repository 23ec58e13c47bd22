package import Foundation

/// The last change of a thing, by the audit log.
package struct LastChange: Sendable, Equatable {
    /// The administrator's name, with that of their API token if they used one.
    package let author: String
    package let time: Date
    /// What they did, as the audit log calls it.
    package let action: String

    /// Newer entries that are about a thing and change nothing of it, such as a trial, are looked past; so many of them.
    static let looked = 20
    private static let changes = Set([
        "add", "assign", "create", "disable", "expect", "remove", "revert", "rotate", "set", "unassign", "unexpect",
    ])
    private static let prefix = "administrator:"

    /// The newest of these entries that is a change by an administrator.
    init?(in entries: [AuditEntry]) {
        let found = entries.first { entry in
            entry.actor.hasPrefix(Self.prefix)
                && entry.action.split(separator: ".").last.map { Self.changes.contains(String($0)) } == true
        }
        guard let found else { return nil }
        author = String(found.actor.dropFirst(Self.prefix.count))
        time = found.time
        action = found.action
    }
}

extension Management {
    /// The last change of a thing, by its name in the audit log; nil if the log no longer has it.
    package func lastChange(of subject: String) async throws -> LastChange? {
        LastChange(
            in: try await store.auditEntries(AuditFilter(subject: subject), PageRequest(limit: LastChange.looked)).items
        )
    }
}
