package import Foundation
import GRDB
package import Management

/// The sums of what apps count, read from running sums: what a read costs grows with hours, days and keys, not with lives.
///
/// `FeedbackCount` keeps the running sums; here bounds choose which keys and versions get sums of their own in an answer.
extension SQLiteStore {
    package func feedbackTotals(
        of app: String, since: Foundation.Date, sinceVersion version: FeedbackVersion?, naming named: [String],
        keys limit: Int, dictionaries: Int
    ) async throws -> FeedbackTotals {
        let span = SummedSpan(app, since: since.seconds)
        return try await readAside { db in
            let (others, isCut) = try Self.keys(of: span, version, besides: named, limit: limit, db)
            let keys = named + others
            let chosen: StatementArguments = [
                "keys": try Self.json(keys),
                "dictionaries": try Self.dictionaries(of: span, version, limit: dictionaries, db),
            ]
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT s.key AS key, \(Self.dictionary) AS dictionary, SUM(s.sum) AS sum, SUM(s.latest) AS devices
                    \(SummedSpan.tables) AND s.scope IN (0, 1) AND s.key IN (SELECT value FROM json_each(:keys))
                    AND \(Self.isSumSinceVersion)
                    GROUP BY 1, 2 ORDER BY 1, dictionary IS NULL, 2
                    """,
                arguments: span.arguments + Self.since(version) + chosen)
            let most = try Self.devices(of: span, counting: keys, db)
            let places = Dictionary(keys.enumerated().map { ($1, $0) }) { first, _ in first }
            let totals = rows.map { row in
                let key = row["key"] as String
                return FeedbackTotal(
                    key: key, configuration: row["dictionary"], sum: row["sum"] as Double? ?? 0,
                    devices: Self.devices(row["devices"], atMost: most[key]))
            }
            let ordered = totals.enumerated().sorted { one, other in
                (places[one.element.key] ?? 0, one.offset) < (places[other.element.key] ?? 0, other.offset)
            }
            let isLeftOut = try Self.isLeftOut(of: span, db)
            return FeedbackTotals(
                totals: ordered.map(\.element),
                isCut: isCut || isLeftOut || totals.contains { $0.configuration == nil })
        }
    }

    package func feedbackSteps(
        of app: String, counting key: String, seconds: Int, since: Foundation.Date, intervals: Int, dictionaries: Int
    ) async throws -> [FeedbackStep] {
        let span = SummedSpan(app, since: since.seconds)
        let until = since.seconds + Int64(seconds * intervals)
        return try await readAside { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT i.start AS start, \(Self.dictionary) AS dictionary, SUM(s.sum) AS sum,
                        SUM(s.devices) AS devices, MAX(a.devices) AS most
                    FROM feedback_interval i CROSS JOIN feedback_sum s ON s.interval = i.number
                    LEFT JOIN feedback_sum a ON a.interval = i.number AND a.scope = 2 AND a.key = s.key
                        AND a.configuration = '' AND a.name = '' AND a.version = 0
                    WHERE i.app = :app AND i.seconds = :seconds AND i.start >= :since AND i.start < :until
                    AND s.scope IN (0, 1) AND s.key = :key
                    GROUP BY 1, 2 ORDER BY 1, dictionary IS NULL, 2
                    """,
                arguments: [
                    "key": key, "app": app, "seconds": seconds, "since": since.seconds, "until": until,
                    "dictionaries": try Self.dictionaries(of: span, nil, limit: dictionaries, db),
                ]
            ).map { row in
                FeedbackStep(
                    from: row.date("start"), configuration: row["dictionary"], sum: row["sum"] as Double? ?? 0,
                    devices: Self.devices(row["devices"], atMost: row["most"]))
            }
        }
    }

    /// The devices of several rows together: one that is in several of them counts in each, but there are no more than
    /// count the key at all.
    private static func devices(_ sum: Int, atMost most: Int?) -> Int { max(1, min(sum, most ?? sum)) }

    /// Whether a row is of this version of the configuration, or of a later one.
    ///
    /// Without a version it is true of all rows.
    private static let isSumSinceVersion = "(:version IS NULL OR (s.name = :name AND s.version >= :version))"

    private static func since(_ version: FeedbackVersion?) -> StatementArguments {
        ["name": version?.configuration, "version": version?.number]
    }

    /// The version of a row's dictionary if it has sums of its own in the answer; NULL for all others.
    private static let dictionary = """
        CASE WHEN s.scope = 0 AND s.configuration IN (SELECT value FROM json_each(:dictionaries)) THEN s.configuration END
        """

    /// The keys besides the named ones that most devices count, and whether there are more than the limit.
    ///
    /// Among keys that the same number of devices count, the first of each device comes before the second of any
    /// device.
    private static func keys(
        of span: SummedSpan, _ version: FeedbackVersion?, besides named: [String], limit: Int, _ db: Database
    ) throws -> (keys: [String], isCut: Bool) {
        let bounds: StatementArguments = ["named": try json(named), "limit": limit + 1]
        let found = try String.fetchAll(
            db,
            sql: """
                SELECT s.key \(SummedSpan.tables) AND s.scope \(version == nil ? "= 2" : "IN (0, 1)")
                AND \(isSumSinceVersion) AND s.key NOT IN (SELECT value FROM json_each(:named))
                GROUP BY 1 ORDER BY SUM(s.latest) DESC, MIN(s.place), 1 LIMIT :limit
                """,
            arguments: span.arguments + since(version) + bounds)
        return (Array(found.prefix(limit)), found.count > limit)
    }

    /// The versions of the dictionary that most devices had, as a list in JSON.
    ///
    /// Among versions that the same number of devices had, the first of each device comes before the second of any device.
    private static func dictionaries(
        of span: SummedSpan, _ version: FeedbackVersion?, limit: Int, _ db: Database
    ) throws -> String {
        try json(
            String.fetchAll(
                db,
                sql: """
                    SELECT s.configuration \(SummedSpan.tables) AND s.scope = 3 AND \(isSumSinceVersion)
                    GROUP BY 1 ORDER BY SUM(s.latest) DESC, MIN(s.place), 1 LIMIT :limit
                    """,
                arguments: span.arguments + since(version) + ["limit": limit]))
    }

    /// How many devices count each key, with any dictionary.
    private static func devices(
        of span: SummedSpan, counting keys: [String], _ db: Database
    ) throws -> [String: Int] {
        let list: StatementArguments = ["keys": try json(keys)]
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT s.key AS key, SUM(s.latest) AS devices \(SummedSpan.tables) AND s.scope = 2
                AND s.key IN (SELECT value FROM json_each(:keys)) GROUP BY 1
                """,
            arguments: span.arguments + list)
        return rows.reduce(into: [:]) { found, row in found[row["key"] as String] = row["devices"] as Int }
    }

    /// Whether a number was beyond the bounds of a day's sums, and is in none.
    private static func isLeftOut(of span: SummedSpan, _ db: Database) throws -> Bool {
        let found = try Bool.fetchOne(
            db,
            sql: """
                SELECT EXISTS (SELECT 1 FROM feedback_interval
                    WHERE app = ? AND seconds = ? AND start > ? AND left_out)
                """,
            arguments: [span.app, FeedbackCount.daySeconds, span.since - FeedbackCount.daySeconds])
        return found == true
    }

    private static func json(_ texts: [String]) throws -> String {
        String(decoding: try JSONEncoder().encode(texts), as: UTF8.self)
    }
}

/// A span of time in the sums of an app, from the beginning of an hour on.
///
/// It has the hours up to the end of the first day, and whole days from there on.
struct SummedSpan {
    /// The tables and the conditions that bound the span.
    static let tables = """
        FROM feedback_interval i CROSS JOIN feedback_sum s ON s.interval = i.number
        WHERE i.app = :app AND ((i.seconds = 3600 AND i.start >= :since AND i.start < :days)
            OR (i.seconds = 86400 AND i.start >= :days))
        """

    let app: String
    let since: Int64

    init(_ app: String, since: Int64) {
        self.app = app
        self.since = since / FeedbackCount.hourSeconds * FeedbackCount.hourSeconds
    }

    var arguments: StatementArguments {
        let day = FeedbackCount.daySeconds
        return ["app": app, "since": since, "days": (since + day - 1) / day * day]
    }
}
