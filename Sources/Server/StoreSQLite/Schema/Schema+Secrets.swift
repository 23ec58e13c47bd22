import GRDB

extension Schema {
    /// Secrets and where they are assigned; of a version that is not the current one only the description is kept.
    static func version3(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE secret (name TEXT PRIMARY KEY, kind TEXT NOT NULL, current INTEGER NOT NULL) STRICT;
                CREATE TABLE secret_number (name TEXT PRIMARY KEY, last INTEGER NOT NULL) STRICT, WITHOUT ROWID;
                CREATE TABLE secret_version (
                    secret TEXT NOT NULL REFERENCES secret(name) ON DELETE CASCADE, version INTEGER NOT NULL,
                    author TEXT NOT NULL, created INTEGER NOT NULL, description TEXT NOT NULL,
                    master_key TEXT, wrapped_key BLOB, sealed BLOB, PRIMARY KEY (secret, version)
                ) STRICT;
                CREATE INDEX secret_version_by_master_key ON secret_version(master_key) WHERE master_key IS NOT NULL;
                CREATE TABLE master_key (one INTEGER PRIMARY KEY CHECK (one = 1), id TEXT NOT NULL) STRICT;
                CREATE TABLE secret_assignment (
                    group_name TEXT NOT NULL, app TEXT NOT NULL, extension TEXT NOT NULL, kind TEXT NOT NULL,
                    identifier TEXT NOT NULL, secret TEXT NOT NULL REFERENCES secret(name),
                    assigned INTEGER NOT NULL, position INTEGER NOT NULL UNIQUE,
                    PRIMARY KEY (group_name, app, extension, kind, identifier),
                    FOREIGN KEY (group_name, app) REFERENCES assignment(group_name, app) ON DELETE CASCADE
                ) STRICT;
                CREATE INDEX secret_assignment_by_secret ON secret_assignment(secret);
                """)
    }
}
