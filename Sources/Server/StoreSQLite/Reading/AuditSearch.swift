import Foundation
import GRDB
import Management

/// A page of the audit log, newest first, at a bounded cost: a page ends, with a place to go on from, after so many
/// entries were looked at, however few of them fit.
struct AuditSearch {
    /// Entries that are looked at for one page.
    static let looked = 10_000
    /// Of each block of entries the log knows the earliest and the latest time: a clock may have been set back.
    static let block = 1_000

    private struct Condition {
        let column: String
        let values: [String]

        /// The condition in SQL, with a place for each value.
        var text: String {
            let places = Array(repeating: "?", count: values.count).joined(separator: ", ")
            return values.count == 1 ? "\(column) = ?" : "\(column) IN (\(places))"
        }
    }

    private let filter: AuditFilter
    private let page: PageRequest
    /// The one whose index is walked, and the others.
    ///
    /// A thing is named by fewer entries than an actor, and an actor by fewer than an action. An index has no order for
    /// several actions.
    private let driving: Condition?
    private let others: [Condition]

    init(_ filter: AuditFilter, _ page: PageRequest) {
        (self.filter, self.page) = (filter, page)
        let all = [
            filter.subject.map { Condition(column: "subject", values: [$0]) },
            filter.actor.map { Condition(column: "actor", values: [$0]) },
            filter.actions.map { Condition(column: "action", values: $0.map(\.rawValue)) },
        ].compactMap(\.self)
        let isDriven = all.first?.values.count == 1
        (driving, others) = (isDriven ? all.first : nil, Array(all.dropFirst(isDriven ? 1 : 0)))
    }

    func run(_ db: Database) throws -> Page<AuditEntry> {
        let end = page.after.flatMap { Int($0) } ?? .max
        var found: [AuditEntry] = []
        for var range in try ranges(db) where range.lowerBound < end {
            range = range.clamped(to: 0..<end)
            let floor = try floor(of: range, db)
            if let floor { range = (floor + 1)..<range.upperBound }
            found += try entries(in: range, limit: page.limit + 1 - found.count, db)
            if found.count > page.limit { break }
            // The next page looks at what this one did not.
            if let floor { return Page(items: found, next: String(floor + 1)) }
        }
        return Page(cutting: found, to: page.limit) { String($0.sequence) }
    }

    /// Where entries of the time that is asked for may be, the newest first.
    private func ranges(_ db: Database) throws -> [Range<Int>] {
        guard filter.since != nil || filter.until != nil else { return [0..<Int.max] }
        let last = try Int.fetchOne(db.cachedStatement(sql: "SELECT MAX(sequence) FROM audit")) ?? 0
        let blocks = try Row.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT MIN(block) AS first, MAX(block) AS last FROM audit_block
                    WHERE latest >= ? AND earliest < ?
                    """),
            arguments: [filter.since?.seconds ?? .min, filter.until?.seconds ?? .max])
        // The last block is not complete yet.
        var ranges = [(last / Self.block * Self.block + 1)..<Int.max]
        if let blocks, let first = blocks["first"] as Int?, let last = blocks["last"] as Int? {
            ranges.append((first * Self.block + 1)..<((last + 1) * Self.block + 1))
        }
        return ranges
    }

    /// The newest entry that this page does not look at any more.
    private func floor(of range: Range<Int>, _ db: Database) throws -> Int? {
        guard !others.isEmpty || filter.since != nil || filter.until != nil else { return nil }
        return try Int.fetchOne(
            db,
            sql: """
                SELECT sequence FROM audit WHERE \(driving.map { "\($0.text) AND" } ?? "")
                    sequence >= ? AND sequence < ? ORDER BY sequence DESC LIMIT 1 OFFSET ?
                """,
            arguments: StatementArguments(driving?.values ?? []) + [
                range.lowerBound, range.upperBound, Self.looked,
            ])
    }

    private func entries(in range: Range<Int>, limit: Int, _ db: Database) throws -> [AuditEntry] {
        // The sign keeps SQLite from another index than that of the range.
        let conditions = [driving].compactMap(\.self).map(\.text) + others.map { "+\($0.text)" }
        let values = ([driving].compactMap(\.self) + others).flatMap(\.values)
        let times: [(String, Int64?)] = [("time >= ?", filter.since?.seconds), ("time < ?", filter.until?.seconds)]
        let asked = times.filter { $0.1 != nil }
        let condition = (["sequence >= ?", "sequence < ?"] + conditions + asked.map(\.0)).joined(separator: " AND ")
        return try Row.fetchAll(
            db, sql: "SELECT * FROM audit WHERE \(condition) ORDER BY sequence DESC LIMIT ?",
            arguments: [range.lowerBound, range.upperBound] + StatementArguments(values)
                + StatementArguments(asked.map(\.1)) + [limit]
        ).map(SQLiteStore.auditEntry)
    }
}

extension Schema {
    /// The earliest and the latest time of each block of entries, for questions about a time.
    static func auditBlocks(_ db: Database) throws {
        // A migration is never edited, whatever becomes of the constant.
        let (size, times) = (1_000, "SELECT (sequence - 1) / 1000, MIN(time), MAX(time) FROM audit")
        try db.execute(
            sql: """
                CREATE TABLE audit_block (
                    block INTEGER PRIMARY KEY, earliest INTEGER NOT NULL, latest INTEGER NOT NULL
                ) STRICT;
                INSERT INTO audit_block \(times)
                    WHERE sequence <= (SELECT MAX(sequence) FROM audit) / \(size) * \(size) GROUP BY 1;
                CREATE TRIGGER audit_block_ends AFTER INSERT ON audit WHEN new.sequence % \(size) = 0 BEGIN
                    INSERT INTO audit_block \(times)
                        WHERE sequence > new.sequence - \(size) AND sequence <= new.sequence GROUP BY 1;
                END;
                """)
    }
}
