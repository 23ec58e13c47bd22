extension Management {
    /// What was done, newest first.
    package func auditEntries(
        _ filter: AuditFilter = AuditFilter(), _ page: PageRequest
    ) async throws -> Page<AuditEntry> {
        try await store.auditEntries(filter, page)
    }

    /// Reads the whole log and recomputes its chain.
    package func verifyAudit() async throws -> AuditChain {
        var chain = AuditChain()
        while chain.brokenAt == nil {
            let entries = try await store.auditEntries(after: chain.length, limit: 1_000)
            guard !entries.isEmpty else { break }
            for entry in entries { chain.follow(entry) }
        }
        return chain
    }
}
