import Foundation
import GRDB
import InputBounds
import Management

extension Schema {
    /// Which versions of apps are on devices, how many there are of each, and which refusals stand.
    ///
    /// The counts are kept by triggers, so that a device that goes in whatever way is counted no more. Of devices that
    /// are there already, the last reports say it.
    static func fleet(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE app_on_device (
                    enrollment TEXT NOT NULL REFERENCES enrollment(key) ON DELETE CASCADE, app TEXT NOT NULL,
                    version TEXT NOT NULL, PRIMARY KEY (enrollment, app)
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX app_on_device_by_version ON app_on_device(app, version);
                CREATE TABLE app_version (
                    app TEXT NOT NULL, version TEXT NOT NULL, devices INTEGER NOT NULL, PRIMARY KEY (app, version)
                ) STRICT, WITHOUT ROWID;
                CREATE TRIGGER app_came AFTER INSERT ON app_on_device BEGIN
                    INSERT INTO app_version VALUES (new.app, new.version, 1)
                    ON CONFLICT (app, version) DO UPDATE SET devices = devices + 1;
                END;
                CREATE TRIGGER app_went AFTER DELETE ON app_on_device BEGIN
                    UPDATE app_version SET devices = devices - 1 WHERE app = old.app AND version = old.version;
                    DELETE FROM app_version WHERE app = old.app AND version = old.version AND devices = 0;
                END;
                CREATE TABLE refusal (
                    enrollment TEXT NOT NULL REFERENCES enrollment(key) ON DELETE CASCADE, app TEXT NOT NULL,
                    extension TEXT NOT NULL, app_version TEXT, digest TEXT, configuration TEXT,
                    configuration_version INTEGER, code INTEGER, key_path TEXT, key_path_supplied INTEGER NOT NULL,
                    message TEXT, since INTEGER NOT NULL, PRIMARY KEY (enrollment, app, extension)
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX refusal_by_kind ON refusal(app, extension, app_version, configuration,
                    configuration_version, code, key_path, since);
                """)
        let rows = try Row.fetchCursor(
            db, sql: "SELECT enrollment, value, updated FROM status_item WHERE name = ?",
            arguments: ["app.managed.list"])
        while let row = try rows.next() {
            let limits = InputLimits(bytes: 2 * StatusLimits.valueBytes, objects: 400_000)
            guard let list = try? JSONValue(parsing: row["value"] as Data, limits: limits) else { continue }
            try SQLiteStore.keep(
                ReportedApps(list, isWhole: true), of: row["enrollment"], orderedBy: "a.position DESC", db,
                now: row.date("updated"))
        }
    }
}
