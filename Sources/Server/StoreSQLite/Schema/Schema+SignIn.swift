import GRDB

extension Schema {
    /// Administrators who sign in elsewhere are known by whom their provider means, not by their name.
    static func externalIdentities(_ db: Database) throws {
        try db.execute(
            sql: """
                ALTER TABLE administrator ADD COLUMN issuer TEXT;
                ALTER TABLE administrator ADD COLUMN subject TEXT;
                CREATE UNIQUE INDEX administrator_by_identity ON administrator(issuer, subject)
                    WHERE issuer IS NOT NULL;
                """)
    }
}
