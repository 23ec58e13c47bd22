import GRDB
import Management

/// The place of a webhook that a delivery moves on, with the number of the entry or feedback that was sent.
enum WebhookPlace {
    case entry(Int)
    case feedback(Int)

    var number: Int {
        switch self {
        case .entry(let number), .feedback(let number): number
        }
    }

    /// The column of the webhook's place.
    var cursor: String {
        switch self {
        case .entry: "cursor"
        case .feedback: "feedback_cursor"
        }
    }

    /// The column of a delivery that names what was sent.
    var delivered: String {
        switch self {
        case .entry: "sequence"
        case .feedback: "feedback"
        }
    }

    /// The unique index that allows one delivery for each entry or feedback.
    var unique: String {
        switch self {
        case .entry: "(webhook, sequence) WHERE kind = 'event'"
        case .feedback: "(feedback, webhook) WHERE feedback IS NOT NULL"
        }
    }
}

/// The second place of webhooks that ask for the feedback of apps.
extension SQLiteStore {
    /// Sends a webhook the feedback that comes from now on, or stops sending it; a webhook that asks already keeps its
    /// place.
    static func tellFeedback(_ isAsked: Bool, to webhook: Int, _ db: Database) throws {
        guard !isAsked else {
            try db.execute(
                sql: """
                    UPDATE webhook SET feedback_skipped = 0,
                        feedback_cursor = (SELECT COALESCE(MAX(number), 0) FROM app_feedback)
                    WHERE number = ? AND feedback_cursor IS NULL
                    """,
                arguments: [webhook])
            return
        }
        try db.execute(
            sql: "UPDATE webhook SET feedback_cursor = NULL, feedback_skipped = 0 WHERE number = ?",
            arguments: [webhook])
        try db.execute(
            sql: """
                UPDATE webhook_delivery SET state = 'failed', problem = 'the webhook does not ask for feedback any more'
                WHERE webhook = ? AND state = 'waiting' AND feedback IS NOT NULL
                """,
            arguments: [webhook])
    }

    static func feedbackPlace(_ webhook: Row) -> WebhookFeedbackPlace? {
        (webhook["feedback_cursor"] as Int?).map {
            WebhookFeedbackPlace(cursor: $0, skipped: webhook["feedback_skipped"])
        }
    }

    /// The next feedback for a webhook.
    static func nextFeedback(of webhook: Row, _ db: Database) throws -> FeedbackRecord? {
        guard let place = feedbackPlace(webhook) else { return nil }
        return try Row.fetchOne(
            db.cachedStatement(sql: "SELECT * FROM app_feedback WHERE number > ? ORDER BY number LIMIT 1"),
            arguments: [place.cursor]
        ).map(feedbackRecord)
    }

    /// Whether what was sent can be sent again: feedback may be deleted while it is on its way.
    static func isThere(_ place: WebhookPlace, _ db: Database) throws -> Bool {
        guard case .feedback(let number) = place else { return true }
        return try Bool.fetchOne(
            db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM app_feedback WHERE number = ?)"),
            arguments: [number]) == true
    }

    /// How many lives of feedback wait for a webhook, at most one more than `Webhook.mostCounted`.
    static func waitingFeedback(_ webhook: Row, _ db: Database) throws -> Int {
        guard let place = feedbackPlace(webhook) else { return 0 }
        return try Int.fetchOne(
            db,
            sql: "SELECT COUNT(*) FROM (SELECT 1 FROM app_feedback WHERE number > ? LIMIT \(Webhook.mostCounted + 1))",
            arguments: [place.cursor]) ?? 0
    }

    /// Whether feedback waits for a webhook.
    static func hasFeedback(_ webhook: Row, _ db: Database) throws -> Bool {
        guard let place = feedbackPlace(webhook) else { return false }
        return try Bool.fetchOne(
            db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM app_feedback WHERE number > ?)"),
            arguments: [place.cursor]) == true
    }
}
