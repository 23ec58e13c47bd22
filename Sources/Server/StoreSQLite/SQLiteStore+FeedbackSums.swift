package import Foundation
import GRDB
package import Management

/// The sums of what apps count: each is made of all lives, and bounds choose which keys and versions get sums of their
/// own.
extension SQLiteStore {
    package func feedbackTotals(
        of app: String, since: Foundation.Date, sinceVersion version: FeedbackVersion?, naming named: [String],
        keys limit: Int, dictionaries: Int
    ) async throws -> FeedbackTotals {
        try await readAside { db in
            let (others, isCut) = try Self.keys(
                of: app, since: since, version, besides: named, limit: limit, db)
            let keys = named + others
            // The plus reads the few numbers of each life once; without it SQLite looks up each key in each life.
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT n.key AS key, \(Self.dictionary) AS dictionary, SUM(n.value) AS sum,
                        COUNT(DISTINCT f.enrollment) AS devices
                    FROM app_feedback f JOIN feedback_number n ON n.feedback = f.number
                    WHERE f.app = :app AND f.ended >= :since AND +n.key IN (SELECT value FROM json_each(:keys))
                    AND \(Self.isSinceVersion)
                    GROUP BY 1, 2 ORDER BY 1, dictionary IS NULL, 2
                    """,
                arguments: [
                    "app": app, "since": since.seconds, "keys": try Self.json(keys),
                    "name": version?.configuration, "version": version?.number,
                    "dictionaries": try Self.dictionaries(of: app, since: since, version, limit: dictionaries, db),
                ])
            let places = Dictionary(keys.enumerated().map { ($1, $0) }) { first, _ in first }
            let totals = rows.map { row in
                FeedbackTotal(
                    key: row["key"], configuration: row["dictionary"], sum: row["sum"] as Double? ?? 0,
                    devices: row["devices"])
            }
            let ordered = totals.enumerated().sorted { one, other in
                (places[one.element.key] ?? 0, one.offset) < (places[other.element.key] ?? 0, other.offset)
            }
            return FeedbackTotals(
                totals: ordered.map(\.element), isCut: isCut || totals.contains { $0.configuration == nil })
        }
    }

    package func feedbackSteps(
        of app: String, counting key: String, seconds: Int, since: Foundation.Date, intervals: Int, dictionaries: Int
    ) async throws -> [FeedbackStep] {
        let until = since.addingTimeInterval(TimeInterval(seconds * intervals))
        return try await readAside { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT f.ended / :seconds * :seconds AS start, \(Self.dictionary) AS dictionary,
                        SUM(n.value) AS sum, COUNT(DISTINCT f.enrollment) AS devices
                    FROM app_feedback f JOIN feedback_number n ON n.feedback = f.number AND n.key = :key
                    WHERE f.app = :app AND f.ended >= :since AND f.ended < :until
                    GROUP BY 1, 2 ORDER BY 1, dictionary IS NULL, 2
                    """,
                arguments: [
                    "key": key, "app": app, "seconds": seconds, "since": since.seconds, "until": until.seconds,
                    "dictionaries": try Self.dictionaries(of: app, since: since, nil, limit: dictionaries, db),
                ]
            ).map { row in
                FeedbackStep(
                    from: row.date("start"), configuration: row["dictionary"], sum: row["sum"] as Double? ?? 0,
                    devices: row["devices"])
            }
        }
    }

    /// The version of a life's dictionary if it has sums of its own; NULL for all others.
    private static let dictionary = """
        CASE WHEN f.configuration IN (SELECT value FROM json_each(:dictionaries)) THEN f.configuration END
        """

    /// The keys besides the named ones that most devices count, and whether there are more than the limit.
    ///
    /// Among keys that the same number of devices count, the first of each device comes before the second of any
    /// device.
    private static func keys(
        of app: String, since: Foundation.Date, _ version: FeedbackVersion?, besides named: [String], limit: Int,
        _ db: Database
    ) throws -> (keys: [String], isCut: Bool) {
        let found = try String.fetchAll(
            db,
            sql: """
                SELECT key FROM (
                    SELECT key, ROW_NUMBER() OVER (PARTITION BY device ORDER BY key) AS place FROM (
                        SELECT DISTINCT f.enrollment AS device, n.key AS key
                        FROM app_feedback f JOIN feedback_number n ON n.feedback = f.number
                        WHERE f.app = :app AND f.ended >= :since AND \(isSinceVersion)
                        AND n.key NOT IN (SELECT value FROM json_each(:named))))
                GROUP BY key ORDER BY COUNT(*) DESC, MIN(place), key LIMIT :limit
                """,
            arguments: [
                "app": app, "since": since.seconds, "name": version?.configuration, "version": version?.number,
                "named": try json(named), "limit": limit + 1,
            ])
        return (Array(found.prefix(limit)), found.count > limit)
    }

    /// The versions of the dictionary that most devices had, as a list in JSON.
    ///
    /// Among versions that the same number of devices had, the newest of each device comes before its earlier ones.
    private static func dictionaries(
        of app: String, since: Foundation.Date, _ version: FeedbackVersion?, limit: Int, _ db: Database
    ) throws -> String {
        try json(
            String.fetchAll(
                db,
                sql: """
                    SELECT configuration FROM (
                        SELECT configuration,
                            ROW_NUMBER() OVER (PARTITION BY device ORDER BY newest DESC, configuration) AS place
                        FROM (
                            SELECT enrollment AS device, configuration, MAX(ended) AS newest FROM app_feedback f
                            WHERE app = :app AND ended >= :since AND \(isSinceVersion) GROUP BY 1, 2))
                    GROUP BY configuration ORDER BY COUNT(*) DESC, MIN(place), configuration LIMIT :limit
                    """,
                arguments: [
                    "app": app, "since": since.seconds, "name": version?.configuration, "version": version?.number,
                    "limit": limit,
                ]))
    }

    private static func json(_ texts: [String]) throws -> String {
        String(decoding: try JSONEncoder().encode(texts), as: UTF8.self)
    }
}
