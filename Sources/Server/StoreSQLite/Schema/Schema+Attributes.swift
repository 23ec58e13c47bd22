import GRDB

extension Schema {
    /// What administrators say of devices: a JSON object of texts, nothing where they say nothing.
    ///
    /// Rules judge device by device, by `group_rule_due`, so that no index is needed.
    static func deviceAttributes(_ db: Database) throws {
        try db.execute(sql: "ALTER TABLE enrollment ADD COLUMN attributes TEXT")
    }
}
