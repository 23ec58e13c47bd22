import GRDB

extension Fixture {
    /// Something done to the store while no server has it; a new server goes on with what is there then.
    func betweenServers(_ step: @escaping @Sendable (Database) throws -> Void) async throws {
        try closeStore()
        let database = try DatabaseQueue(path: databasePath)
        try await database.write { try step($0) }
        try database.close()
        try reopen()
    }
}
