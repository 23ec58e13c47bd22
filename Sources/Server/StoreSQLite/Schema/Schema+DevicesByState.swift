import GRDB

extension Schema {
    /// Finds the devices of a state in which few are; those that are enrolled, which most are, are found by going through all.
    static func devicesByState(_ db: Database) throws {
        try db.execute(sql: "CREATE INDEX enrollment_by_state ON enrollment(state, key) WHERE state <> 'enrolled'")
    }
}
