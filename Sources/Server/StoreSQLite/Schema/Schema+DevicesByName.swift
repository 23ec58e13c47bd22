import GRDB

extension Schema {
    /// The name that a device said, as it said it.
    static let deviceName = "json_extract(facts, '$.deviceName')"

    /// Finds the devices of a name, in the order of their keys: many may have the same one.
    static func devicesByName(_ db: Database) throws {
        try db.execute(sql: "CREATE INDEX enrollment_by_name ON enrollment(\(deviceName), key)")
    }
}
