import GRDB

extension Schema {
    /// As what an app gets the configuration of its assignment; nothing where it is by the framework, as it was for all.
    static func assignmentDelivery(_ db: Database) throws {
        try db.execute(sql: "ALTER TABLE assignment ADD COLUMN delivery TEXT;")
    }
}
