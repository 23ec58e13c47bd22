/// The audit log, as a store keeps it: entries are appended in the transaction of what they tell of, and stay.
package protocol AuditStore: Sendable {
    /// Entries, newest first.
    func auditEntries(_ filter: AuditFilter, _ page: PageRequest) async throws -> Page<AuditEntry>
    /// Entries in their order, beginning after a place.
    func auditEntries(after sequence: Int, limit: Int) async throws -> [AuditEntry]
}
