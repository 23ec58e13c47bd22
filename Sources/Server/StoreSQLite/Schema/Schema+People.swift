import GRDB

extension Schema {
    /// What a device is called where values of single devices are set: its serial number, or its ID if it has none.
    static let serialNumber = "COALESCE(NULLIF(json_extract(facts, '$.serialNumber'), ''), key)"

    /// The serial number that a device reported.
    static let saidSerialNumber = "json_extract(facts, '$.serialNumber')"

    /// Values of secrets that people have of their own; they go with the person.
    static func secretValuesOfPeople(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE secret_person_value (
                    secret TEXT NOT NULL REFERENCES secret(name) ON DELETE CASCADE,
                    person TEXT NOT NULL REFERENCES person(user_name) ON DELETE CASCADE,
                    version INTEGER NOT NULL, sealed BLOB NOT NULL, PRIMARY KEY (secret, person)
                ) STRICT;
                CREATE INDEX secret_person_value_by_version ON secret_person_value(secret, version);
                CREATE INDEX secret_person_value_by_person ON secret_person_value(person, secret);
                """)
    }

    /// People, variables in configurations, values of single devices, and what single devices were told of.
    ///
    /// A version of a secret in which single devices got values has a key and no value of its own; `common` is the one
    /// whose value is for all. The key of a version stays as long as a value is sealed under it.
    static func people(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE person (
                    user_name TEXT PRIMARY KEY, details TEXT NOT NULL, modified INTEGER NOT NULL
                ) STRICT;
                ALTER TABLE enrollment ADD COLUMN person TEXT REFERENCES person(user_name);
                ALTER TABLE enrollment ADD COLUMN values_changed INTEGER;
                CREATE INDEX enrollment_by_person ON enrollment(person) WHERE person IS NOT NULL;
                CREATE INDEX enrollment_by_serial ON enrollment(\(serialNumber));
                ALTER TABLE configuration_version ADD COLUMN variables TEXT;
                ALTER TABLE secret ADD COLUMN common INTEGER;
                UPDATE secret SET common = current;
                CREATE TABLE secret_device_value (
                    secret TEXT NOT NULL REFERENCES secret(name) ON DELETE CASCADE, serial TEXT NOT NULL,
                    version INTEGER NOT NULL, sealed BLOB NOT NULL, PRIMARY KEY (secret, serial)
                ) STRICT;
                CREATE INDEX secret_device_value_by_version ON secret_device_value(secret, version);
                CREATE INDEX secret_device_value_by_serial ON secret_device_value(serial, secret);
                CREATE TABLE snapshot_device (
                    enrollment TEXT PRIMARY KEY REFERENCES enrollment(key) ON DELETE CASCADE,
                    token TEXT NOT NULL REFERENCES snapshot(token) ON DELETE CASCADE
                ) STRICT, WITHOUT ROWID;
                CREATE INDEX snapshot_device_by_token ON snapshot_device(token);
                """)
    }
}
