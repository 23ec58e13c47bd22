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

    package func feedbackMetrics() async throws -> [FeedbackMetric] {
        try await read { db in
            try Row.fetchAll(db, sql: "SELECT app, key, sum FROM feedback_metric ORDER BY app, key").map { row in
                FeedbackMetric(app: row["app"], key: row["key"], sum: row["sum"])
            }
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
