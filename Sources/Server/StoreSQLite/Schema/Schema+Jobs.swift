import GRDB

extension Schema {
    /// Long work, and where it is.
    static func jobs(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE job (
                    number INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, author TEXT NOT NULL,
                    created INTEGER NOT NULL, request TEXT NOT NULL, state TEXT NOT NULL, owner TEXT,
                    resumed INTEGER NOT NULL, standstills INTEGER NOT NULL, done INTEGER NOT NULL,
                    total INTEGER NOT NULL, place BLOB, result TEXT, problem TEXT, started INTEGER, ended INTEGER
                ) STRICT;
                CREATE INDEX job_by_author ON job(author, number);
                CREATE INDEX job_open ON job(number) WHERE ended IS NULL;
                CREATE INDEX job_by_end ON job(ended) WHERE ended IS NOT NULL;
                """)
    }
}
