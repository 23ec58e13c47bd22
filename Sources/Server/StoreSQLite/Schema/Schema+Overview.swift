import GRDB

extension Schema {
    /// How many devices there are in each state, and how many refusals of each app stand.
    ///
    /// The counts are kept by triggers, as those of versions are. The index by days is written at most once a day for each
    /// device, though each contact is written down.
    static func overview(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE device_count (state TEXT PRIMARY KEY, devices INTEGER NOT NULL) STRICT, WITHOUT ROWID;
                CREATE TABLE refusal_count (app TEXT PRIMARY KEY, refusals INTEGER NOT NULL) STRICT, WITHOUT ROWID;
                INSERT INTO device_count SELECT state, COUNT(*) FROM enrollment WHERE parent IS NULL GROUP BY state;
                INSERT INTO refusal_count SELECT app, COUNT(*) FROM refusal GROUP BY app;
                CREATE TRIGGER device_came AFTER INSERT ON enrollment WHEN new.parent IS NULL BEGIN
                    INSERT INTO device_count VALUES (new.state, 1)
                    ON CONFLICT (state) DO UPDATE SET devices = devices + 1;
                END;
                CREATE TRIGGER device_went AFTER DELETE ON enrollment WHEN old.parent IS NULL BEGIN
                    UPDATE device_count SET devices = devices - 1 WHERE state = old.state;
                END;
                CREATE TRIGGER device_moved AFTER UPDATE OF state ON enrollment
                WHEN new.parent IS NULL AND old.state <> new.state BEGIN
                    UPDATE device_count SET devices = devices - 1 WHERE state = old.state;
                    INSERT INTO device_count VALUES (new.state, 1)
                    ON CONFLICT (state) DO UPDATE SET devices = devices + 1;
                END;
                CREATE TRIGGER refusal_came AFTER INSERT ON refusal BEGIN
                    INSERT INTO refusal_count VALUES (new.app, 1)
                    ON CONFLICT (app) DO UPDATE SET refusals = refusals + 1;
                END;
                CREATE TRIGGER refusal_went AFTER DELETE ON refusal BEGIN
                    UPDATE refusal_count SET refusals = refusals - 1 WHERE app = old.app;
                    DELETE FROM refusal_count WHERE app = old.app AND refusals = 0;
                END;
                CREATE INDEX enrollment_by_day ON enrollment(last_seen / 86400)
                    WHERE parent IS NULL AND state = 'enrolled';
                CREATE INDEX enrollment_code_open ON enrollment_code(expires)
                    WHERE state = 'unused' AND renews IS NULL;
                """)
    }
}
