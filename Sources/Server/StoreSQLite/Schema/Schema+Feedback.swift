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

extension Schema {
    /// Which version of a configuration the dictionary of a life was; nothing where it is not known.
    ///
    /// Of the lives that are there already the newest half million are looked at, so that the step stays short.
    static func feedbackVersions(_ db: Database) throws {
        try db.execute(
            sql: """
                ALTER TABLE app_feedback ADD COLUMN name TEXT;
                ALTER TABLE app_feedback ADD COLUMN version INTEGER;
                UPDATE app_feedback SET (name, version) = (
                    SELECT k.name, k.version FROM (
                        SELECT d.configuration AS name, d.version AS version, 1 AS is_held, 0 AS created
                        FROM configuration_on_device d
                        WHERE d.enrollment = app_feedback.enrollment AND d.app = app_feedback.app
                            AND d.extension = '' AND d.digest = app_feedback.configuration
                        UNION ALL SELECT v.name, v.version, 0, v.created FROM configuration_version v
                        WHERE v.sha256 = app_feedback.configuration AND v.app = app_feedback.app
                    ) k ORDER BY k.is_held DESC, k.created DESC, k.version DESC, k.name LIMIT 1)
                WHERE configuration <> '' AND number > (SELECT MAX(number) FROM app_feedback) - 500000;
                """)
    }
}
