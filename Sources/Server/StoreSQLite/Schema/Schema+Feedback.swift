import GRDB

extension Schema {
    /// What apps counted on devices, each life of a device once, and the numbers in it.
    static func feedback(_ db: Database) throws {
        try db.execute(
            sql: """
                ALTER TABLE enrollment ADD COLUMN tells_feedback INTEGER;
                CREATE TABLE app_feedback (
                    number INTEGER PRIMARY KEY AUTOINCREMENT,
                    enrollment TEXT NOT NULL REFERENCES enrollment(key) ON DELETE CASCADE,
                    app TEXT NOT NULL REFERENCES app(bundle_identifier) ON DELETE CASCADE,
                    life TEXT NOT NULL, configuration TEXT NOT NULL, began INTEGER NOT NULL, ended INTEGER NOT NULL,
                    received INTEGER NOT NULL, refused INTEGER NOT NULL, document BLOB NOT NULL,
                    UNIQUE (enrollment, life)
                ) STRICT;
                CREATE INDEX app_feedback_by_app ON app_feedback(app, number);
                CREATE INDEX app_feedback_by_device ON app_feedback(enrollment, app, number);
                CREATE INDEX app_feedback_by_age ON app_feedback(received, number);
                CREATE TABLE feedback_number (
                    feedback INTEGER NOT NULL REFERENCES app_feedback(number) ON DELETE CASCADE,
                    key TEXT NOT NULL, value REAL NOT NULL, PRIMARY KEY (feedback, key)
                ) STRICT, WITHOUT ROWID;
                """)
    }
}

extension Schema {
    /// Finds what an app handed over in a span of time: what is older is not looked at.
    static func feedbackByEnd(_ db: Database) throws {
        try db.execute(sql: "CREATE INDEX app_feedback_by_end ON app_feedback(app, ended)")
    }
}
