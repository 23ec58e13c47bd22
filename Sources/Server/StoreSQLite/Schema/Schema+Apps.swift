import GRDB
import Management

extension Schema {
    /// Where devices get apps, the packages that are hosted, whose packages are taken, and what each device runs.
    ///
    /// Of devices that are there already, the last reports say what they run.
    static func appSources(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE app_source (
                    app TEXT NOT NULL REFERENCES app(bundle_identifier) ON DELETE CASCADE, platform TEXT NOT NULL,
                    origin TEXT NOT NULL, location TEXT, license TEXT, install TEXT NOT NULL, updates TEXT,
                    minimum_os TEXT, minimum_agent TEXT, PRIMARY KEY (app, platform, origin)
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX app_source_by_location ON app_source(location) WHERE location IS NOT NULL;
                CREATE TABLE package (
                    sha256 TEXT PRIMARY KEY, app TEXT NOT NULL REFERENCES app(bundle_identifier) ON DELETE CASCADE,
                    size INTEGER NOT NULL, title TEXT NOT NULL, version TEXT NOT NULL, short_version TEXT NOT NULL,
                    team TEXT NOT NULL, minimum_os TEXT, minimum_agent TEXT, chunks BLOB NOT NULL, author TEXT NOT NULL,
                    uploaded INTEGER NOT NULL, unused_since INTEGER
                ) STRICT;
                CREATE INDEX package_by_app ON package(app, uploaded);
                CREATE TABLE team (
                    fingerprint TEXT PRIMARY KEY, der BLOB NOT NULL, author TEXT NOT NULL, added INTEGER NOT NULL
                ) STRICT;
                ALTER TABLE assignment ADD COLUMN lowest_trust TEXT;
                ALTER TABLE enrollment ADD COLUMN platform TEXT;
                ALTER TABLE enrollment ADD COLUMN os_version TEXT;
                ALTER TABLE enrollment ADD COLUMN agent_version TEXT;
                """)
        let rows = try Row.fetchCursor(
            db,
            sql: """
                SELECT e.key, e.facts, f.value AS family, v.value AS version FROM enrollment e
                LEFT JOIN status_item f ON f.enrollment = e.key AND f.name = 'device.operating-system.family'
                LEFT JOIN status_item v ON v.enrollment = e.key AND v.name = 'device.operating-system.version'
                WHERE e.parent IS NULL
                """)
        while let row = try rows.next() {
            let audience = try SQLiteStore.audienceBeforeItWasKept(row)
            try db.executeCached(
                sql: "UPDATE enrollment SET platform = ?, os_version = ?, agent_version = ? WHERE key = ?",
                arguments: [
                    audience.platform?.rawValue, audience.osVersion?.description, audience.agentVersion?.description,
                    row["key"] as String,
                ])
        }
    }
}
