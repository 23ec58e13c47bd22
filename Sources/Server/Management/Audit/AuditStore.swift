/// The audit log, as a store keeps it: entries are appended in the transaction of what they tell of, and stay until they
/// have had their time.
package protocol AuditStore: Sendable {
    /// Entries, newest first.
    func auditEntries(_ filter: AuditFilter, _ page: PageRequest) async throws -> Page<AuditEntry>
    /// Entries in their order, beginning after a place.
    func auditEntries(after sequence: Int, limit: Int) async throws -> [AuditEntry]
    /// Calls `call` after each commit that appended to the log, before the writer gets its answer, so it must return at
    /// once.
    func whenAuditGrows(_ call: @escaping @Sendable () -> Void)
    /// The last entry that was removed, if any was.
    func auditAnchor() async throws -> AuditAnchor?
}
