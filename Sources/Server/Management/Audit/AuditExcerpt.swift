import Foundation

/// The log as it was at one moment, to be read in parts.
package struct AuditExcerpt: Sendable {
    private static let part = 1_000

    private let store: any Store
    /// The last entry that was removed before, if any was.
    package let anchor: AuditAnchor?
    private let last: Int

    fileprivate init(_ store: any Store) async throws {
        self.store = store
        last = try await store.auditEntries(AuditFilter(), PageRequest(limit: 1)).items.first?.sequence ?? 0
        // Read afterwards: whatever is removed from here on is missed, and that is noticed.
        anchor = try await store.auditAnchor()
    }

    /// The entries behind a place; none at the end.
    package func entries(after place: Int) async throws -> [AuditEntry] {
        guard place < last else { return [] }
        let entries = try await store.auditEntries(after: place, limit: min(Self.part, last - place))
        guard entries.first?.sequence == place + 1 else { throw AuditMovedOn() }
        return entries
    }
}

/// The oldest entries had their time while the log was read.
package struct AuditMovedOn: Error {}

extension Management {
    /// The whole log, to be carried elsewhere.
    package func auditExcerpt() async throws -> AuditExcerpt { try await AuditExcerpt(store) }
}
