extension Management {
    /// The present era; nil before the first restore.
    package func presentEra() async throws -> Era? {
        try await eras.all { try await store.eras() }.last
    }
}
