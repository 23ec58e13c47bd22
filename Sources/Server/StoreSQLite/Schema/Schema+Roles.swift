import GRDB

extension Schema {
    /// What administrators may do; those from before may do everything.
    ///
    /// The apps and groups of an owner of apps are lists in JSON: they are read with the administrator and nowhere else.
    static func roles(_ db: Database) throws {
        try db.execute(
            sql: """
                ALTER TABLE administrator ADD COLUMN role TEXT NOT NULL DEFAULT 'administrator';
                ALTER TABLE administrator ADD COLUMN apps TEXT NOT NULL DEFAULT '[]';
                ALTER TABLE administrator ADD COLUMN groups TEXT NOT NULL DEFAULT '[]';
                """)
    }

    /// When one-time passwords end that nobody used; those from before have a week from now on.
    static func passwordEnds(_ db: Database) throws {
        try db.execute(
            sql: """
                ALTER TABLE administrator ADD COLUMN password_ends INTEGER;
                UPDATE administrator SET password_ends = CAST(strftime('%s', 'now') AS INTEGER) + 604800
                WHERE must_change = 1;
                """)
    }
}
