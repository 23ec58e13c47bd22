import GRDB

extension Schema {
    /// Each certificate remembers whether its enrollment's code allowed legacy cryptography; codes do not stay forever.
    static func legacyEnrollments(_ db: Database) throws {
        try db.execute(
            sql: """
                ALTER TABLE certificate ADD COLUMN legacy INTEGER NOT NULL DEFAULT 0;
                UPDATE certificate SET legacy = 1 WHERE code IN (SELECT id FROM enrollment_code WHERE legacy);
                UPDATE certificate SET legacy = 1
                WHERE enrollment IN (SELECT enrollment FROM certificate WHERE legacy AND enrollment IS NOT NULL);
                """)
    }
}
