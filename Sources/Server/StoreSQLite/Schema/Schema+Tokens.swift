import GRDB

extension Schema {
    /// What programs show in the place of an administrator; they go with the administrator.
    static func apiTokens(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE api_token (
                    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, digest BLOB NOT NULL UNIQUE,
                    administrator TEXT NOT NULL REFERENCES administrator(name) ON DELETE CASCADE, name TEXT NOT NULL,
                    role TEXT NOT NULL, apps TEXT NOT NULL, groups TEXT NOT NULL, read_only INTEGER NOT NULL,
                    administers INTEGER NOT NULL, created INTEGER NOT NULL, expires INTEGER NOT NULL, revoked INTEGER,
                    last_used INTEGER
                ) STRICT;
                CREATE INDEX api_token_by_administrator ON api_token(administrator, number);
                CREATE INDEX api_token_by_end ON api_token(MIN(expires, COALESCE(revoked, expires)));
                """)
    }
}
