import GRDB

extension Schema {
    /// People who are invited, devices that are expected, whom a right to enroll is for, and how each device came.
    ///
    /// What was enrolled before came by a code.
    static func enrollmentKinds(_ db: Database) throws {
        try db.execute(
            sql: """
                ALTER TABLE enrollment_code ADD COLUMN person TEXT;
                ALTER TABLE enrollment_code ADD COLUMN account TEXT;
                ALTER TABLE enrollment_code ADD COLUMN serial_number TEXT;
                ALTER TABLE enrollment_code ADD COLUMN chip BLOB;
                CREATE INDEX enrollment_code_by_account ON enrollment_code(account) WHERE account IS NOT NULL;
                CREATE INDEX enrollment_code_by_serial ON enrollment_code(serial_number)
                    WHERE serial_number IS NOT NULL;
                ALTER TABLE enrollment ADD COLUMN arrival TEXT NOT NULL DEFAULT 'code';
                ALTER TABLE enrollment ADD COLUMN account TEXT;
                CREATE TABLE invitation (
                    account TEXT PRIMARY KEY,
                    person TEXT NOT NULL UNIQUE REFERENCES person(user_name) ON DELETE CASCADE,
                    group_name TEXT NOT NULL REFERENCES device_group(name) ON DELETE CASCADE,
                    password_hash TEXT NOT NULL, author TEXT NOT NULL, created INTEGER NOT NULL,
                    expires INTEGER NOT NULL
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX invitation_by_group ON invitation(group_name);
                CREATE INDEX invitation_by_end ON invitation(expires);
                CREATE TABLE expected_device (
                    serial_number TEXT PRIMARY KEY,
                    group_name TEXT NOT NULL REFERENCES device_group(name) ON DELETE CASCADE,
                    chip BLOB, author TEXT NOT NULL, created INTEGER NOT NULL, used INTEGER
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX expected_device_by_group ON expected_device(group_name);
                """)
    }

    /// Which device a code may replace, whether somebody was refused who asked to take a device's place by it, and whether
    /// rights to enroll reach groups that give secrets.
    ///
    /// What is open already reaches them if its author is an administrator now. An API token's author is none: nobody
    /// knows here what the token could do.
    static func enrollmentBounds(_ db: Database) throws {
        try db.execute(
            sql: """
                ALTER TABLE enrollment_code ADD COLUMN replaces TEXT;
                ALTER TABLE enrollment_code ADD COLUMN refused INTEGER NOT NULL DEFAULT 0;
                """)
        for table in ["enrollment_code", "invitation", "expected_device"] {
            try db.execute(
                sql: """
                    ALTER TABLE \(table) ADD COLUMN reaches_secrets INTEGER NOT NULL DEFAULT 1;
                    UPDATE \(table) SET reaches_secrets = 0
                    WHERE author NOT IN (SELECT name FROM administrator WHERE role = 'administrator');
                    """)
        }
    }
}
