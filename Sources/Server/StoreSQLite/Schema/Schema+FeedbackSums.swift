import GRDB

extension Schema {
    /// The running sums of what apps count, by app, hour and day; what each device remembers of them; and the keys that
    /// the specifications of an app name.
    ///
    /// Of the lives that are there already the newest are summed, so that the step stays short; where there are more, the
    /// days say that something was left out. A later step that changes these tables must leave `FeedbackCount` able to
    /// fill them here.
    static func feedbackSums(_ db: Database) throws {
        try db.execute(sql: sums)
        try db.execute(sql: namedKeys)
        let newest = try Int64.fetchOne(db, sql: "SELECT MAX(number) FROM app_feedback") ?? 0
        let first = newest - mostLives
        var after = first
        while true {
            let rows = try Row.fetchAll(
                db,
                sql: "SELECT \(CountedLife.columns) FROM app_feedback WHERE number > ? ORDER BY number LIMIT 1000",
                arguments: [after])
            guard let last = rows.last else { break }
            for row in rows { try FeedbackCount.add(CountedLife(row, db), db) }
            after = last["number"]
        }
        try db.execute(sql: "UPDATE app_feedback SET is_summed = 1 WHERE number > ?", arguments: [first])
        try db.execute(
            sql: """
                UPDATE feedback_interval SET left_out = 1 WHERE EXISTS (SELECT 1 FROM app_feedback WHERE NOT is_summed)
                """)
    }

    private static let mostLives: Int64 = 200_000

    /// The index by end covers what is asked of lives in a span of time: the lives themselves are not read.
    private static let sums = """
        ALTER TABLE app_feedback ADD COLUMN is_summed INTEGER NOT NULL DEFAULT 0;
        DROP INDEX app_feedback_by_end;
        CREATE INDEX app_feedback_by_end ON app_feedback(app, ended, enrollment, configuration, name, version);
        CREATE TABLE feedback_interval (
            number INTEGER PRIMARY KEY, app TEXT NOT NULL REFERENCES app(bundle_identifier) ON DELETE CASCADE,
            seconds INTEGER NOT NULL, start INTEGER NOT NULL, opened INTEGER NOT NULL DEFAULT 0,
            folded INTEGER NOT NULL DEFAULT 0, left_out INTEGER NOT NULL DEFAULT 0, UNIQUE (app, seconds, start)
        ) STRICT;
        CREATE INDEX feedback_interval_by_start ON feedback_interval(start);
        CREATE TABLE feedback_sum (
            interval INTEGER NOT NULL REFERENCES feedback_interval(number) ON DELETE CASCADE,
            scope INTEGER NOT NULL, key TEXT NOT NULL, configuration TEXT NOT NULL, name TEXT NOT NULL,
            version INTEGER NOT NULL, sum REAL NOT NULL, lives INTEGER NOT NULL, devices INTEGER NOT NULL,
            latest INTEGER NOT NULL, place INTEGER NOT NULL,
            PRIMARY KEY (interval, scope, key, configuration, name, version)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE feedback_device (
            enrollment TEXT NOT NULL REFERENCES enrollment(key) ON DELETE CASCADE,
            app TEXT NOT NULL REFERENCES app(bundle_identifier) ON DELETE CASCADE,
            scope INTEGER NOT NULL, key TEXT NOT NULL, configuration TEXT NOT NULL, name TEXT NOT NULL,
            version INTEGER NOT NULL, latest INTEGER NOT NULL, is_folded INTEGER NOT NULL,
            PRIMARY KEY (enrollment, app, scope, key, configuration, name, version)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX feedback_device_by_app ON feedback_device(app);
        """

    /// Specifications are kept as JSON; triggers follow each.
    private static var namedKeys: String {
        let table = "feedback_named"
        func keys(of row: String, from source: String) -> String {
            """
            INSERT OR IGNORE INTO \(table) (app, key, version)
            SELECT \(row).app, CAST(json_extract(k.value, '$.key') AS TEXT), \(row).version
            FROM \(source)json_each(
                CASE WHEN json_valid(CAST(\(row).document AS TEXT)) THEN CAST(\(row).document AS TEXT) ELSE '{}' END,
                '$."x-feedback"') k
            WHERE k.type = 'object'
            """
        }
        return """
            CREATE TABLE \(table) (
                app TEXT NOT NULL REFERENCES app(bundle_identifier) ON DELETE CASCADE, key TEXT NOT NULL,
                version TEXT NOT NULL, PRIMARY KEY (app, key, version)
            ) STRICT, WITHOUT ROWID;
            \(keys(of: "specification", from: "specification, "));
            CREATE TRIGGER feedback_named_first AFTER INSERT ON specification BEGIN
                DELETE FROM \(table) WHERE app = new.app AND version = new.version;
                \(keys(of: "new", from: ""));
            END;
            CREATE TRIGGER feedback_named_again AFTER UPDATE OF document ON specification BEGIN
                DELETE FROM \(table) WHERE app = new.app AND version = new.version;
                \(keys(of: "new", from: ""));
            END;
            CREATE TRIGGER feedback_named_no_more AFTER DELETE ON specification BEGIN
                DELETE FROM \(table) WHERE app = old.app AND version = old.version;
            END;
            """
    }
}
