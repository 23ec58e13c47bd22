package import Foundation
import GRDB
package import Management

/// Up to when the server has lived.
extension SQLiteStore {
    package func believedTime() async throws -> BelievedTime? {
        try await read { db in
            try Row.fetchOne(db, sql: "SELECT time, doubted, lived FROM believed_time").map { row in
                BelievedTime(
                    row.date("time"),
                    doubt: row.optionalDate("doubted").map {
                        BelievedTime.Doubt(time: $0, lived: TimeInterval(row["lived"] as Int64))
                    })
            }
        }
    }

    package func keepBelievedTime(_ time: BelievedTime) async throws {
        try await write { db in
            try db.execute(
                sql: "INSERT OR REPLACE INTO believed_time (one, time, doubted, lived) VALUES (1, ?, ?, ?)",
                arguments: [time.time.seconds, time.doubt?.time.seconds, Int64(time.doubt?.lived ?? 0)])
        }
    }

    package func newestAuditTime() async throws -> Foundation.Date? {
        try await read { db in
            try Row.fetchOne(db, sql: "SELECT time FROM audit ORDER BY sequence DESC LIMIT 1")?.date("time")
        }
    }
}

extension Schema {
    /// The time that the server believes, a later one that it doubts, and how many seconds that has gone on.
    static func believedTime(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE believed_time (
                    one INTEGER PRIMARY KEY CHECK (one = 1), time INTEGER NOT NULL, doubted INTEGER,
                    lived INTEGER NOT NULL
                ) STRICT;
                """)
    }
}
