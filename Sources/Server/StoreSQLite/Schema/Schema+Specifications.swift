import GRDB

extension Schema {
    /// What apps publish for administrators, by version.
    static func specifications(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE specification (
                    app TEXT NOT NULL REFERENCES app(bundle_identifier) ON DELETE CASCADE, version TEXT NOT NULL,
                    sha256 TEXT NOT NULL, size INTEGER NOT NULL, author TEXT NOT NULL, added INTEGER NOT NULL,
                    document BLOB NOT NULL, PRIMARY KEY (app, version)
                ) STRICT;
                """)
    }

    /// Which package brought a specification; those that are there already were set by hand.
    static func specificationsOfPackages(_ db: Database) throws {
        try db.execute(sql: "ALTER TABLE specification ADD COLUMN package TEXT")
    }
}
