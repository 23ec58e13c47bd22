package import Foundation
import GRDB
import InputBounds
package import Management

extension SQLiteStore {
    package func addWebhook(
        _ draft: WebhookDraft, _ settings: WebhookSettings, limit: Int
    ) async throws -> Outcome<Webhook, AdminRefusal> {
        try await write { db in
            guard try Self.webhookRow(draft.name, db) == nil else { return .refused(.nameTaken) }
            guard try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM webhook") ?? 0 < limit else {
                return .refused(.invalid(rule: "A server has at most \(limit) webhooks."))
            }
            try Self.audit(
                .addWebhook, draft.name, Self.details(settings), by: .administrator(draft.author), db, now: draft.now)
            // A new webhook begins behind the newest entry.
            try db.execute(
                sql: """
                    INSERT INTO webhook (name, url, events, author, created, cursor)
                    VALUES (?, ?, ?, ?, ?, (SELECT COALESCE(MAX(sequence), 0) FROM audit))
                    """,
                arguments: [
                    draft.name, settings.url, Self.listText(settings.events.patterns), draft.author, draft.now.seconds,
                ])
            let number = Int(db.lastInsertedRowID)
            try Self.tellFeedback(settings.events.includeFeedback, to: number, db)
            try Self.addSecret(draft, of: number, number: 1, db)
            return .accepted(try Self.presentWebhook(draft.name, db))
        }
    }

    package func webhook(named name: String) async throws -> Webhook? {
        try await read { db in try Self.webhookRow(name, db).map { try Self.webhook($0, db) } }
    }

    package func webhooks() async throws -> [Webhook] {
        try await read { db in
            try Row.fetchAll(db, sql: "SELECT * FROM webhook ORDER BY name").map { try Self.webhook($0, db) }
        }
    }

    package func setWebhook(
        named name: String, to settings: WebhookSettings, isEnabled: Bool, author: String, now: Foundation.Date
    ) async throws -> Outcome<Webhook, AdminRefusal> {
        try await write { db in
            guard let row = try Self.webhookRow(name, db) else { return .refused(.unknownWebhook) }
            var course = try Self.course(row)
            if isEnabled, course.disabled?.reason == .secretForgotten {
                return .refused(
                    .invalid(rule: "The webhook's secret is lost with its master key. A new secret enables it."))
            }
            if isEnabled, try !Self.hasSecret(row["number"], db) {
                return .refused(
                    .invalid(rule: "The webhook's secret is lost with its master key. Give it a new one first."))
            }
            if (row["url"] as String) != settings.url { course.redirect(now: now) }
            if isEnabled { course.enable() } else { course.disable(now: now) }
            try Self.rememberEvents(of: row, before: settings.events, db)
            try db.execute(
                sql: "UPDATE webhook SET url = ?, events = ? WHERE name = ?",
                arguments: [settings.url, Self.listText(settings.events.patterns), name])
            try Self.tellFeedback(settings.events.includeFeedback, to: row["number"], db)
            try Self.keep(course, of: row["number"], db)
            var details = Self.details(settings)
            details["enabled"] = .boolean(isEnabled)
            try Self.audit(.setWebhook, name, details, by: .administrator(author), db, now: now)
            return .accepted(try Self.presentWebhook(name, db))
        }
    }

    package func removeWebhook(
        named name: String, author: String, now: Foundation.Date
    ) async throws -> AdminRefusal? {
        try await write { db in
            try db.execute(sql: "DELETE FROM webhook WHERE name = ?", arguments: [name])
            guard db.changesCount == 1 else { return .unknownWebhook }
            try Self.audit(.removeWebhook, name, by: .administrator(author), db, now: now)
            return nil
        }
    }

    package func rotateWebhookSecret(
        _ draft: WebhookDraft, previousUntil end: Foundation.Date
    ) async throws -> Outcome<Webhook, AdminRefusal> {
        try await write { db in
            guard let row = try Self.webhookRow(draft.name, db) else { return .refused(.unknownWebhook) }
            let webhook: Int = row["number"]
            let newest =
                try Int.fetchOne(
                    db, sql: "SELECT MAX(number) FROM webhook_secret WHERE webhook = ?", arguments: [webhook]) ?? 0
            try db.execute(
                sql: "DELETE FROM webhook_secret WHERE webhook = ? AND number < ?", arguments: [webhook, newest])
            try db.execute(
                sql: "UPDATE webhook_secret SET ends = ? WHERE webhook = ?", arguments: [end.seconds, webhook])
            try Self.addSecret(draft, of: webhook, number: newest + 1, db)
            var details: [String: JSONValue] = ["previousUntil": .moment(end)]
            var course = try Self.course(row)
            if course.disabled?.reason == .secretForgotten {
                course.enable()
                try Self.keep(course, of: webhook, db)
                details["enabled"] = .boolean(true)
            }
            try Self.audit(
                .rotateWebhookSecret, draft.name, details, by: .administrator(draft.author), db, now: draft.now)
            return .accepted(try Self.presentWebhook(draft.name, db))
        }
    }

    // MARK: Rows

    /// Whether there is anything to sign its events with: one that was disabled already keeps its reason without.
    private static func hasSecret(_ webhook: Int, _ db: Database) throws -> Bool {
        try Bool.fetchOne(
            db, sql: "SELECT EXISTS (SELECT 1 FROM webhook_secret WHERE webhook = ?)", arguments: [webhook]) ?? false
    }

    static func webhookRow(_ name: String, _ db: Database) throws -> Row? {
        try Row.fetchOne(db, sql: "SELECT * FROM webhook WHERE name = ?", arguments: [name])
    }

    private static func presentWebhook(_ name: String, _ db: Database) throws -> Webhook {
        guard let row = try webhookRow(name, db) else { throw TransactionLost() }
        return try webhook(row, db)
    }

    private static func webhook(_ row: Row, _ db: Database) throws -> Webhook {
        let number: Int = row["number"]
        let secrets = try Row.fetchAll(
            db, sql: "SELECT created, ends FROM webhook_secret WHERE webhook = ? ORDER BY number DESC LIMIT 2",
            arguments: [number])
        let events = WebhookEvents(kept: try list(row["events"]))
        let waiting = try waiting(for: row, db)
        let count = try waiting.count + waitingFeedback(row, db)
        return Webhook(
            number: number, name: row["name"], settings: WebhookSettings(url: row["url"], events: events),
            author: row["author"], created: row.date("created"), cursor: row["cursor"],
            feedback: feedbackPlace(row), course: try course(row), waiting: min(count, Webhook.mostCounted),
            isMoreWaiting: waiting.isMore || count > Webhook.mostCounted,
            secretMade: secrets.first?.date("created") ?? row.date("created"),
            previousSecretEnds: secrets.dropFirst().first?.optionalDate("ends"))
    }

    static func course(_ row: Row) throws -> WebhookCourse {
        var course = WebhookCourse()
        course.failures = row["failures"]
        course.failingSince = row.optionalDate("failing_since")
        course.next = row.optionalDate("next")
        course.lastDelivered = row.optionalDate("last_delivered")
        course.problem = row["problem"]
        if let since = row.optionalDate("disabled") {
            course.disabled = .init(since: since, reason: try row.word("disabled_reason"))
        }
        return course
    }

    static func keep(_ course: WebhookCourse, of number: Int, _ db: Database) throws {
        try db.executeCached(
            sql: """
                UPDATE webhook SET failures = ?, failing_since = ?, next = ?, last_delivered = ?, problem = ?,
                    disabled = ?, disabled_reason = ? WHERE number = ?
                """,
            arguments: [
                course.failures, course.failingSince?.seconds, course.next?.seconds, course.lastDelivered?.seconds,
                course.problem, course.disabled?.since.seconds, course.disabled?.reason.rawValue, number,
            ])
    }

    static func rewrap(_ webhook: Int, _ old: KeptSecret, _ new: SealedSecret, _ db: Database) throws {
        try db.execute(
            sql: """
                UPDATE webhook_secret SET master_key = ?, wrapped_key = ?
                WHERE webhook = ? AND number = ? AND wrapped_key = ?
                """,
            arguments: [new.masterKeyID, new.wrappedKey, webhook, old.version, old.secret.wrappedKey])
    }

    private static func addSecret(_ draft: WebhookDraft, of webhook: Int, number: Int, _ db: Database) throws {
        let sealed = try draft.seal(webhook, number)
        if let master = try masterKeyID(db), master != sealed.masterKeyID { throw MasterKeyReplaced() }
        try setMasterKey(sealed.masterKeyID, db)
        try db.execute(
            sql: "INSERT INTO webhook_secret VALUES (?, ?, ?, NULL, ?, ?, ?)",
            arguments: [webhook, number, draft.now.seconds, sealed.masterKeyID, sealed.wrappedKey, sealed.sealed])
    }

    private static func details(_ settings: WebhookSettings) -> [String: JSONValue] {
        // The whole URL may hold what only its receiver should know.
        let host = URLComponents(string: settings.url)?.encodedHost ?? ""
        return ["host": .string(host), "events": .array(settings.events.patterns.map(JSONValue.string))]
    }
}
