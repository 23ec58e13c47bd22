import GRDB
import GRDBSQLite
import Management

/// Ends a read that takes too long: SQLite asks it again and again while a statement runs.
final class ReadDeadline: Sendable {
    /// Steps of SQLite's machine between two looks at the clock: well below a millisecond.
    private static let steps: Int32 = 2_000

    private let end: ContinuousClock.Instant

    init(after time: Duration) { end = .now + time }

    func hold<Value>(_ db: Database, _ operation: (Database) throws -> Value) throws -> Value {
        unsafe sqlite3_progress_handler(
            db.sqliteConnection, Self.steps,
            { place in
                guard let place = unsafe place else { return 0 }
                let deadline = unsafe Unmanaged<ReadDeadline>.fromOpaque(place).takeUnretainedValue()
                return ContinuousClock.now < deadline.end ? 0 : 1
            }, Unmanaged.passUnretained(self).toOpaque())
        defer { unsafe sqlite3_progress_handler(db.sqliteConnection, 0, nil, nil) }
        do {
            return try withExtendedLifetime(self) { try operation(db) }
        } catch let error as DatabaseError where error.resultCode == .SQLITE_INTERRUPT {
            throw ReadTooLong()
        }
    }
}
