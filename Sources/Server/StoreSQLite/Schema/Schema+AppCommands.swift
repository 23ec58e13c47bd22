import GRDB

extension Schema {
    /// Whether devices say that they have apps managed by command.
    static func appCommands(_ db: Database) throws {
        try db.execute(sql: "ALTER TABLE enrollment ADD COLUMN takes_app_commands INTEGER")
    }
}
