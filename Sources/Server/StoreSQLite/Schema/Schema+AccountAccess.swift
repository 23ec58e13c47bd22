import GRDB

extension Schema {
    /// Whether the person of a device that came by an account is signed in; and which expected devices wait in their setup
    /// until everything is there.
    static func accountAccess(_ db: Database) throws {
        try db.execute(
            sql: """
                ALTER TABLE enrollment ADD COLUMN access_digest BLOB;
                ALTER TABLE enrollment ADD COLUMN access_since INTEGER;
                ALTER TABLE enrollment ADD COLUMN access_ended INTEGER NOT NULL DEFAULT 0;
                UPDATE enrollment SET access_since = enrolled WHERE arrival = 'account';
                ALTER TABLE expected_device ADD COLUMN awaits INTEGER NOT NULL DEFAULT 0;
                """)
    }
}
