import GRDB

extension Schema {
    /// The numbers of apps' feedback that are measured, each with its sum since an administrator added it.
    static func feedbackMetrics(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE feedback_metric (
                    app TEXT NOT NULL REFERENCES app(bundle_identifier) ON DELETE CASCADE, key TEXT NOT NULL,
                    sum REAL NOT NULL, PRIMARY KEY (app, key)
                ) STRICT, WITHOUT ROWID;
                CREATE TRIGGER feedback_measured AFTER INSERT ON feedback_number WHEN new.value > 0 BEGIN
                    UPDATE feedback_metric SET sum = MIN(sum + new.value, 1e300)
                    WHERE key = new.key AND app = (SELECT app FROM app_feedback WHERE number = new.feedback);
                END;
                """)
    }
}
