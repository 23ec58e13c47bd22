import GRDB

/// Whether a store has ever served anybody.
extension SQLiteStore {
    /// Whether anybody was ever made here: the first administrator comes before everything else.
    package func isInUse() async throws -> Bool {
        try await read { db in
            try Bool.fetchOne(
                db,
                sql: "SELECT EXISTS (SELECT 1 FROM administrator) OR EXISTS (SELECT 1 FROM enrollment)") ?? false
        }
    }
}
