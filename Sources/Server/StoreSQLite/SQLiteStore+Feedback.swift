import DeviceMessages
package import Foundation
import GRDB
package import Management

extension SQLiteStore {
    /// Keeps what a report brings of feedback: a life that is kept already changes nothing.
    ///
    /// Answers the apps that the server does not know; of these nothing is kept.
    static func keep(
        _ feedback: [AppFeedbackStatus], of device: String, _ db: Database, now: Foundation.Date
    ) throws -> [String] {
        var unknown: [String] = []
        for status in feedback {
            let isKnown = try Bool.fetchOne(
                db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM app WHERE bundle_identifier = ?)"),
                arguments: [status.app])
            guard isKnown == true else {
                unknown.append(status.app)
                continue
            }
            // A device's clock does not reach beyond the moment at which its report came.
            let ended = min(status.to.seconds, now.seconds)
            let version = try feedbackVersion(of: status.configuration, status.app, on: device, db)
            try db.executeCached(
                sql: """
                    INSERT INTO app_feedback (enrollment, app, life, configuration, began, ended, received, refused,
                        document, name, version, is_summed)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1) ON CONFLICT (enrollment, life) DO NOTHING
                    """,
                arguments: [
                    device, status.app, status.life, status.configuration, min(status.from.seconds, ended), ended,
                    now.seconds, status.refused, status.feedback, version?.configuration, version?.number,
                ])
            guard db.changesCount > 0 else { continue }
            let number = db.lastInsertedRowID
            let numbers = status.numbers
            for (key, value) in numbers {
                try db.executeCached(
                    sql: "INSERT INTO feedback_number (feedback, key, value) VALUES (?, ?, ?)",
                    arguments: [number, key, value])
            }
            let life = CountedLife(
                number: number, device: device, app: status.app, configuration: status.configuration,
                version: version, ended: ended, received: now.seconds, numbers: numbers)
            try FeedbackCount.add(life, db)
            try db.executeCached(
                sql: """
                    DELETE FROM app_feedback WHERE number IN (SELECT number FROM app_feedback
                        WHERE enrollment = ? AND app = ? ORDER BY number DESC LIMIT -1 OFFSET ?)
                    """,
                arguments: [device, status.app, FeedbackLimits.lives])
        }
        return unknown
    }

    package func feedback(_ filter: FeedbackFilter, _ page: PageRequest) async throws -> Page<FeedbackRecord> {
        let conditions =
            [
                filter.app.map { _ in "app = :app" }, filter.device.map { _ in "enrollment = :device" },
                // The plus keeps the index by end out of it: pages come in the order of numbers, without a sort.
                filter.since.map { _ in "+ended >= :since" },
            ].compactMap { $0 } + ["number < :before"]
        let sql = """
            SELECT * FROM app_feedback WHERE \(conditions.joined(separator: " AND "))
            ORDER BY number DESC LIMIT :limit
            """
        return try await read { db in
            var arguments: StatementArguments = [
                "before": page.after.flatMap { Int64($0) } ?? Int64.max, "limit": page.limit + 1,
            ]
            if let app = filter.app { arguments += ["app": app] }
            if let device = filter.device { arguments += ["device": device] }
            if let since = filter.since { arguments += ["since": since.seconds] }
            let rows = try Row.fetchAll(db, sql: sql, arguments: arguments)
            return Page(cutting: rows.map(Self.feedbackRecord), to: page.limit) { String($0.number) }
        }
    }

    package func devices(
        counting key: String, of app: String, above bound: Double, since: Foundation.Date,
        sinceVersion version: FeedbackVersion?, configurations: [String]?, limit: Int
    ) async throws -> [FeedbackOutlier] {
        let list = try configurations.map { String(decoding: try JSONEncoder().encode($0), as: UTF8.self) }
        return try await readAside { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT f.enrollment AS device, SUM(n.value) AS sum
                    FROM app_feedback f JOIN feedback_number n ON n.feedback = f.number AND n.key = :key
                    WHERE f.app = :app AND f.ended >= :since AND \(Self.isSinceVersion)
                    AND (:list IS NULL OR f.configuration IN (SELECT value FROM json_each(COALESCE(:list, '[]'))))
                    GROUP BY 1 HAVING SUM(n.value) > :bound ORDER BY 2 DESC, 1 LIMIT :limit
                    """,
                arguments: [
                    "key": key, "app": app, "since": since.seconds, "list": list, "bound": bound, "limit": limit,
                    "name": version?.configuration, "version": version?.number,
                ]
            ).map { FeedbackOutlier(device: $0["device"], sum: $0["sum"] as Double? ?? 0) }
        }
    }

    static func feedbackRecord(_ row: Row) -> FeedbackRecord {
        let status = AppFeedbackStatus(
            life: row["life"], app: row["app"], feedback: row["document"], configuration: row["configuration"],
            from: row.date("began"), to: row.date("ended"), refused: row["refused"])
        let (name, number) = (row["name"] as String?, row["version"] as Int?)
        var version: FeedbackVersion?
        if let name, let number { version = FeedbackVersion(configuration: name, number: number) }
        return FeedbackRecord(
            number: row["number"], device: row["enrollment"], status: status, received: row.date("received"),
            version: version)
    }
}
