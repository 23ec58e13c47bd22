import Foundation
import GRDB
import InputBounds
import Management

extension Schema {
    /// How each app fares on each device, and on how many devices in which way.
    ///
    /// The counts are kept by triggers, as those of versions are. Of devices that are there already, the last reports say it.
    static func appStates(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE app_state (
                    enrollment TEXT NOT NULL REFERENCES enrollment(key) ON DELETE CASCADE, app TEXT NOT NULL,
                    state TEXT NOT NULL, PRIMARY KEY (enrollment, app)
                ) STRICT, WITHOUT ROWID;
                CREATE TABLE app_state_count (
                    app TEXT NOT NULL, state TEXT NOT NULL, devices INTEGER NOT NULL, PRIMARY KEY (app, state)
                ) STRICT, WITHOUT ROWID;
                CREATE TRIGGER app_state_came AFTER INSERT ON app_state BEGIN
                    INSERT INTO app_state_count VALUES (new.app, new.state, 1)
                    ON CONFLICT (app, state) DO UPDATE SET devices = devices + 1;
                END;
                CREATE TRIGGER app_state_went AFTER DELETE ON app_state BEGIN
                    UPDATE app_state_count SET devices = devices - 1 WHERE app = old.app AND state = old.state;
                    DELETE FROM app_state_count WHERE app = old.app AND state = old.state AND devices = 0;
                END;
                """)
        let rows = try Row.fetchCursor(
            db, sql: "SELECT enrollment, value FROM status_item WHERE name = ?", arguments: ["app.managed.list"])
        while let row = try rows.next() {
            let limits = InputLimits(bytes: 2 * StatusLimits.valueBytes, objects: 400_000)
            guard let list = try? JSONValue(parsing: row["value"] as Data, limits: limits) else { continue }
            try SQLiteStore.keepStates(ReportedApps(list, isWhole: true), of: row["enrollment"], db)
        }
    }
}
