extension Management {
    /// What was done, newest first.
    package func auditEntries(
        _ filter: AuditFilter = AuditFilter(), _ page: PageRequest
    ) async throws -> Page<AuditEntry> {
        try await store.auditEntries(filter, page)
    }

    /// Reads the whole log and recomputes its chain.
    package func verifyAudit() async throws -> AuditChain {
        var anchor = try await store.auditAnchor()
        while true {
            let chain = try await follow(from: anchor)
            guard chain.fault != nil else { return chain }
            // Meanwhile the oldest entries may have had their time.
            let present = try await store.auditAnchor()
            guard present != anchor else { return chain }
            anchor = present
        }
    }

    private func follow(from anchor: AuditAnchor?) async throws -> AuditChain {
        var chain = AuditChain(after: anchor)
        while !chain.isBroken {
            let entries = try await store.auditEntries(after: chain.length, limit: 1_000)
            guard !entries.isEmpty else { break }
            for entry in entries { chain.follow(entry) }
        }
        return chain
    }
}
