import GRDB

extension Schema {
    /// What devices leave with the server, sealed; and whose profile announced channels of the device's users.
    ///
    /// Profiles from before announced none, which cannot change while a device is enrolled. Unlock tokens from before are
    /// sealed when a server starts that has the master key.
    static func escrowedTokens(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE escrowed_token (
                    enrollment TEXT NOT NULL REFERENCES enrollment(key) ON DELETE CASCADE, token TEXT NOT NULL,
                    kept INTEGER NOT NULL, master_key TEXT NOT NULL, wrapped_key BLOB NOT NULL, sealed BLOB NOT NULL,
                    PRIMARY KEY (enrollment, token)
                ) STRICT;
                CREATE INDEX escrowed_token_by_master_key ON escrowed_token(master_key);
                CREATE INDEX enrollment_by_bare_unlock_token ON enrollment(key) WHERE unlock_token IS NOT NULL;
                ALTER TABLE enrollment ADD COLUMN user_channels INTEGER NOT NULL DEFAULT 0;
                ALTER TABLE enrollment_code ADD COLUMN user_channels INTEGER NOT NULL DEFAULT 0;
                """)
    }
}
