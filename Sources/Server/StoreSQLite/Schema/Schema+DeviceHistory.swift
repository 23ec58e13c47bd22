import GRDB

extension Schema {
    /// What became of what devices are given.
    static func deviceHistory(_ db: Database) throws {
        try db.execute(
            sql: """
                ALTER TABLE enrollment ADD COLUMN settled_token TEXT;
                CREATE TABLE device_history (
                    number INTEGER PRIMARY KEY AUTOINCREMENT,
                    enrollment TEXT NOT NULL REFERENCES enrollment(key) ON DELETE CASCADE, time INTEGER NOT NULL,
                    kind TEXT NOT NULL, token TEXT, app TEXT, configuration TEXT, version INTEGER
                ) STRICT;
                CREATE INDEX device_history_by_enrollment ON device_history(enrollment, number);
                CREATE INDEX device_history_by_time ON device_history(time);
                """)
    }
}
