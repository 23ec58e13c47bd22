import GRDB

extension Schema {
    /// Requests that programs may send again, each under the digest of its key, with its answer sealed.
    static func requests(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE request (
                    digest BLOB PRIMARY KEY, principal TEXT NOT NULL, fingerprint BLOB NOT NULL,
                    begun INTEGER NOT NULL, life BLOB NOT NULL, changed INTEGER NOT NULL, master_key TEXT, answer BLOB
                ) STRICT;
                CREATE INDEX request_by_time ON request(begun);
                CREATE INDEX request_by_principal ON request(principal, begun);
                """)
    }
}
