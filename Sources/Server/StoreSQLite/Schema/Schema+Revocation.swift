import GRDB

extension Schema {
    /// What single devices lost while they stayed enrolled, and the way to the certificates that still count.
    ///
    /// Assignments of secrets are numbered forever, so that what is assigned again is another assignment.
    static func revocation(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE INDEX identity_certificate_live ON identity_certificate(secret, device) WHERE revoked IS NULL;
                CREATE TABLE identity_loss (
                    device TEXT NOT NULL REFERENCES enrollment(key) ON DELETE CASCADE, secret TEXT NOT NULL,
                    losses INTEGER NOT NULL, PRIMARY KEY (device, secret)
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX identity_loss_by_secret ON identity_loss(secret);
                CREATE TABLE secret_assignment_number (
                    one INTEGER PRIMARY KEY CHECK (one = 1), last INTEGER NOT NULL
                ) STRICT;
                INSERT INTO secret_assignment_number SELECT 1, COALESCE(MAX(position), 0) FROM secret_assignment;
                """)
    }

    /// Secrets that were taken from more devices than one transaction deals with, and the device up to which it is done;
    /// and the way from an app to the secrets that are assigned to it.
    static func lossesDue(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE identity_loss_due (
                    secret TEXT PRIMARY KEY, author TEXT NOT NULL, after TEXT NOT NULL
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX secret_assignment_by_app ON secret_assignment(app, secret);
                """)
    }
}
