import GRDB

extension Schema {
    /// What restores began, and who was let in since by a certificate whose record was lost.
    static func eras(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE era (
                    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, copied INTEGER NOT NULL, began INTEGER NOT NULL
                ) STRICT;
                CREATE TABLE readmission (
                    enrollment TEXT NOT NULL REFERENCES enrollment(key) ON DELETE CASCADE,
                    era TEXT NOT NULL REFERENCES era(id), fingerprint BLOB NOT NULL, readmitted INTEGER NOT NULL,
                    PRIMARY KEY (enrollment, era)
                ) STRICT, WITHOUT ROWID;
                """)
    }
}
