import GRDB

extension Schema {
    /// When the identity of each enrollment is to be renewed, the rights to do so, and the identity before until the new
    /// one was used.
    ///
    /// What was enrolled before is due at two thirds of its certificate's life like everything else; how much before is
    /// drawn here.
    static func renewals(_ db: Database) throws {
        try db.execute(
            sql: """
                ALTER TABLE enrollment_code ADD COLUMN renews TEXT;
                CREATE INDEX enrollment_code_by_renewal ON enrollment_code(renews) WHERE renews IS NOT NULL;
                ALTER TABLE enrollment ADD COLUMN previous_fingerprint BLOB;
                CREATE TABLE renewal (
                    enrollment TEXT PRIMARY KEY REFERENCES enrollment(key) ON DELETE CASCADE,
                    due INTEGER NOT NULL, ordered INTEGER, command TEXT
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX renewal_by_due ON renewal(due);
                CREATE INDEX certificate_by_end ON certificate(not_after);
                INSERT INTO renewal (enrollment, due)
                    SELECT e.key, c.issued + (c.not_after - c.issued) * 2 / 3
                        - abs(random()) % max(1, (c.not_after - c.issued) / 12)
                    FROM enrollment e JOIN certificate c ON c.fingerprint = e.fingerprint
                    WHERE e.parent IS NULL AND e.state IN ('pending', 'enrolled');
                """)
    }

    /// Chips that were asked under an enrollment code, before anybody knows whose they are.
    static func enrollmentChips(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE code_chip (
                    code TEXT PRIMARY KEY REFERENCES enrollment_code(id) ON DELETE CASCADE, name TEXT NOT NULL,
                    key_digest BLOB NOT NULL, vouched INTEGER NOT NULL, attestation_key BLOB NOT NULL,
                    secret_digest BLOB NOT NULL, expires INTEGER NOT NULL, proven INTEGER NOT NULL DEFAULT 0
                ) STRICT, WITHOUT ROWID;
                """)
    }
}
