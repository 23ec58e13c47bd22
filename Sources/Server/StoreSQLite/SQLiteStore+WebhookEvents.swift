import GRDB
import Management

/// Which entries of the audit log a webhook is sent: those that it asks for now, and asked for when they were written.
extension SQLiteStore {
    /// Changes that are remembered; beyond that, the oldest entries that wait are sent by later events alone.
    private static let mostEarlierEvents = 100

    /// Remembers what a webhook asks for until now, if that changes: entries from before the change are not sent because
    /// of it.
    static func rememberEvents(of webhook: Row, before events: WebhookEvents, _ db: Database) throws {
        let (number, cursor): (Int, Int) = (webhook["number"], webhook["cursor"])
        try db.execute(
            sql: "DELETE FROM webhook_earlier_events WHERE webhook = ? AND through <= ?", arguments: [number, cursor])
        guard try list(webhook["events"]) != events.patterns else { return }
        try db.execute(
            sql: """
                INSERT INTO webhook_earlier_events (webhook, through, events)
                SELECT number, (SELECT COALESCE(MAX(sequence), 0) FROM audit), events FROM webhook WHERE number = ?
                ON CONFLICT DO NOTHING
                """,
            arguments: [number])
        try db.execute(
            sql: """
                DELETE FROM webhook_earlier_events WHERE webhook = :webhook AND through <=
                    (SELECT through FROM webhook_earlier_events WHERE webhook = :webhook
                     ORDER BY through DESC LIMIT 1 OFFSET :kept)
                """,
            arguments: ["webhook": number, "kept": mostEarlierEvents])
    }

    /// The condition of the entries in a range that a webhook is sent.
    static func asked(
        of webhook: Row, in range: Range<Int>, _ db: Database
    ) throws -> (condition: String, arguments: StatementArguments) {
        // The sign keeps SQLite from looking through all entries of an action for those of the range.
        let isOne = "+action IN (SELECT value FROM json_each(?))"
        var condition = "sequence >= ? AND sequence < ?"
        var arguments: StatementArguments = [range.lowerBound, range.upperBound]
        if let actions = WebhookEvents(kept: try list(webhook["events"])).actions {
            condition += " AND \(isOne)"
            arguments += [listText(actions)]
        }
        let earlier = try Row.fetchAll(
            db.cachedStatement(
                sql: "SELECT through, events FROM webhook_earlier_events WHERE webhook = ? AND through >= ?"),
            arguments: [webhook["number"] as Int, range.lowerBound])
        for row in earlier {
            guard let actions = WebhookEvents(kept: try list(row["events"])).actions else { continue }
            condition += " AND (sequence > ? OR \(isOne))"
            arguments += [row["through"] as Int, listText(actions)]
        }
        return (condition, arguments)
    }
}
