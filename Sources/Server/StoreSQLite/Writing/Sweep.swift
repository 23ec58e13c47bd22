import Foundation
import GRDB

/// Finds the rows of a table that had their time, part by part in readers, and removes them by key in small write
/// transactions.
///
/// Devices wait for the one writer: it looks up keys and never searches a table.
struct Sweep: Sendable {
    /// Rows that one reader transaction looks at.
    static let looked = 2_000
    /// Rows that one write transaction removes.
    static let removed = 500

    /// Where a part ended.
    struct Place: Sendable {
        let time: DatabaseValue?
        let key: [DatabaseValue]
    }

    let table: String
    /// The time that counts, as an index has it in front; nothing where the order of the key is walked.
    let time: String?
    /// The columns that tell rows apart, in the order of the index.
    let key: [String]
    /// What the index is limited to.
    var range = "TRUE"
    /// What else must hold of a row that goes; judged again by the writer.
    var condition = "TRUE"

    /// The keys to remove among the next rows, and where to go on.
    func part(_ db: Database, after place: Place?, before limit: Int64) throws -> (
        keys: [[DatabaseValue]], next: Place?
    ) {
        var rows: [Row] = []
        let names = key.joined(separator: ", ")
        let marks = key.map { _ in "?" }.joined(separator: ", ")
        if let place {
            // Rows of one time are passed by key: many may have come in the same second.
            let isEqual = time.map { "\($0) = ?" } ?? "TRUE"
            rows = try fetch(
                db, "\(isEqual) AND (\(names)) > (\(marks))", [place.time].compactMap(\.self) + place.key, limit,
                Self.looked)
            if let time, let last = place.time, rows.count < Self.looked {
                rows += try fetch(db, "\(time) > ?", [last], limit, Self.looked - rows.count)
            }
        } else {
            rows = try fetch(db, "TRUE", [], limit, Self.looked)
        }
        let keys = rows.filter { $0["is_due"] }.map(keyValues)
        guard rows.count == Self.looked, let last = rows.last else { return (keys, nil) }
        return (keys, Place(time: time == nil ? nil : last["time"], key: keyValues(last)))
    }

    private func keyValues(_ row: Row) -> [DatabaseValue] { key.indices.map { row["key\($0)"] } }

    private func fetch(
        _ db: Database, _ beyond: String, _ place: [DatabaseValue], _ limit: Int64, _ count: Int
    ) throws -> [Row] {
        let columns = key.enumerated().map { "\($1) AS key\($0)" } + (time.map { ["\($0) AS time"] } ?? [])
        let order = [time].compactMap(\.self) + key
        return try Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT \(columns.joined(separator: ", ")), (\(condition)) AS is_due FROM \(table)
                    WHERE \(range) AND \(beyond) \(time.map { "AND \($0) <= ?" } ?? "")
                    ORDER BY \(order.joined(separator: ", ")) LIMIT ?
                    """),
            arguments: StatementArguments(place + (time == nil ? [] : [limit.databaseValue]) + [count.databaseValue]))
    }

    /// Removes those of the keys that are still to go.
    func remove(_ keys: some Sequence<[DatabaseValue]>, _ db: Database, before limit: Int64) throws {
        let statement = try db.cachedStatement(
            sql: """
                DELETE FROM \(table) WHERE \(key.map { "\($0) = ?" }.joined(separator: " AND "))
                AND \(range) AND \(condition) \(time.map { "AND \($0) <= ?" } ?? "")
                """)
        for key in keys {
            try statement.execute(arguments: StatementArguments(key + (time == nil ? [] : [limit.databaseValue])))
        }
    }
}

extension SQLiteStore {
    func remove(_ sweep: Sweep, before limit: Foundation.Date) async throws {
        try await remove(sweep, before: limit.seconds)
    }

    func remove(_ sweep: Sweep, before limit: Int64) async throws {
        var place: Sweep.Place?
        repeat {
            let (keys, next) = try await readAside { [place] db in try sweep.part(db, after: place, before: limit) }
            try await remove(keys, of: sweep, before: limit)
            place = next
        } while place != nil
    }

    func remove(_ keys: [[DatabaseValue]], of sweep: Sweep, before limit: Int64) async throws {
        for start in stride(from: 0, to: keys.count, by: Sweep.removed) {
            let some = keys[start..<min(start + Sweep.removed, keys.count)]
            try await write { db in try sweep.remove(some, db, before: limit) }
        }
    }
}
