import GRDB

extension Database {
    /// Executes one statement that is compiled only once: for what every device causes again and again.
    func executeCached(sql: String, arguments: StatementArguments) throws {
        try cachedStatement(sql: sql).execute(arguments: arguments)
    }
}
