import GRDB
package import Management

extension SQLiteStore {
    package func feedbackMetricState(of app: String) async throws -> FeedbackMetricState {
        try await read { db in try Self.feedbackMetricState(app, db) }
    }

    package func measureFeedback(
        of app: String,
        by decide: @escaping @Sendable (FeedbackMetricState) -> Outcome<FeedbackMetricChange, AdminRefusal>
    ) async throws -> Outcome<FeedbackMetricChange, AdminRefusal> {
        try await write { db in
            let state = try Self.feedbackMetricState(app, db)
            let outcome = decide(state)
            guard case .accepted(let change) = outcome, let record = change.audit else { return outcome }
            for key in state.keys where !change.keys.contains(key) {
                try db.execute(sql: "DELETE FROM feedback_metric WHERE app = ? AND key = ?", arguments: [app, key])
            }
            for key in change.keys where !state.keys.contains(key) {
                try db.execute(
                    sql: "INSERT INTO feedback_metric (app, key, sum) VALUES (?, ?, 0)", arguments: [app, key])
            }
            try Self.audit(record, db)
            return outcome
        }
    }

    package func feedbackMetrics(_ page: PageRequest) async throws -> Page<FeedbackMetric> {
        // An app's identifier has no slash; a key may.
        let after = (page.after ?? "").split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let (app, key) = (String(after.first ?? ""), after.count == 2 ? String(after[1]) : "")
        return try await read { db in
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT app, key, sum FROM feedback_metric WHERE (app, key) > (?, ?) ORDER BY app, key LIMIT ?
                    """,
                arguments: [app, key, page.limit + 1])
            let metrics = rows.map { row in FeedbackMetric(app: row["app"], key: row["key"], sum: row["sum"]) }
            return Page(cutting: metrics, to: page.limit) { "\($0.app)/\($0.key)" }
        }
    }

    private static func feedbackMetricState(_ app: String, _ db: Database) throws -> FeedbackMetricState {
        let isKnown = try Bool.fetchOne(
            db, sql: "SELECT EXISTS (SELECT 1 FROM app WHERE bundle_identifier = ?)", arguments: [app])
        let others = try Int.fetchOne(
            db, sql: "SELECT COUNT(*) FROM feedback_metric WHERE app <> ?", arguments: [app])
        return FeedbackMetricState(
            isAppKnown: isKnown == true,
            keys: try String.fetchAll(
                db, sql: "SELECT key FROM feedback_metric WHERE app = ? ORDER BY key", arguments: [app]),
            others: others ?? 0)
    }
}
