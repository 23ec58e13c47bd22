import GRDB

extension SQLiteStore {
    /// Makes a file as a server left it whose last migration was this one: what older servers wrote must stay readable.
    package static func makeFile(path: String, lastMigration: String) throws {
        let queue = try DatabaseQueue(path: path)
        try Schema.migrator.migrate(queue, upTo: lastMigration)
        try queue.close()
    }
}
