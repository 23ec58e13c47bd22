import GRDB

extension Schema {
    /// By what Apple devices are woken, and which of their tokens the push service refused for good.
    static func applePush(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE push_credential (
                    one INTEGER PRIMARY KEY CHECK (one = 1), topic TEXT NOT NULL, is_certificate INTEGER NOT NULL,
                    expires INTEGER, author TEXT NOT NULL, uploaded INTEGER NOT NULL, master_key TEXT NOT NULL,
                    wrapped_key BLOB NOT NULL, sealed BLOB NOT NULL, warned INTEGER
                ) STRICT;
                ALTER TABLE enrollment ADD COLUMN push_retired TEXT;
                CREATE INDEX enrollment_pushed ON enrollment(key, push_retired)
                    WHERE push_token IS NOT NULL AND agent_version IS NULL AND state = 'enrolled';
                """)
    }
}
