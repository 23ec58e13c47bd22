package import Foundation
import GRDB
import InputBounds
package import Management

extension SQLiteStore {
    /// A place that is this far behind moves on although nothing was delivered, so that nobody looks at the same again.
    private static let skip = 1_000

    package func webhookDeliveries(
        of name: String, _ page: PageRequest
    ) async throws -> Outcome<Page<WebhookDelivery>, AdminRefusal> {
        try await read { db in
            guard let row = try Self.webhookRow(name, db) else { return .refused(.unknownWebhook) }
            let rows = try Row.fetchAll(
                db, sql: "SELECT * FROM webhook_delivery WHERE webhook = ? AND number < ? ORDER BY number DESC LIMIT ?",
                arguments: [row["number"] as Int, page.after.flatMap { Int($0) } ?? Int.max, page.limit + 1])
            return .accepted(
                Page(cutting: try rows.map(Self.webhookDelivery), to: page.limit) { String($0.number) })
        }
    }

    package func orderWebhookDelivery(
        of name: String, entry sequence: Int?, limit: Int, author: String, now: Foundation.Date
    ) async throws -> Outcome<WebhookDelivery, AdminRefusal> {
        try await write { db in
            guard let row = try Self.webhookRow(name, db) else { return .refused(.unknownWebhook) }
            let webhook: Int = row["number"]
            if let sequence, try Self.entry(sequence, db) == nil { return .refused(.unknownEntry) }
            let waiting = try Int.fetchOne(
                db, sql: "SELECT COUNT(*) FROM webhook_delivery WHERE \(Self.ordered)", arguments: [webhook])
            guard waiting ?? 0 < limit else { return .refused(.tooManyWaiting(limit: limit)) }
            let kind: WebhookDelivery.Kind = sequence == nil ? .test : .redelivery
            try db.execute(
                sql: """
                    INSERT INTO webhook_delivery (webhook, kind, sequence, state, attempts, created)
                    VALUES (?, ?, ?, 'waiting', 0, ?)
                    """,
                arguments: [webhook, kind.rawValue, sequence, now.seconds])
            let number = Int(db.lastInsertedRowID)
            if let sequence {
                try Self.audit(
                    .redeliverToWebhook, name, ["entry": .integer(Int64(sequence))], by: .administrator(author), db,
                    now: now)
            }
            return .accepted(
                WebhookDelivery(
                    number: number, kind: kind, sequence: sequence, state: .waiting, attempts: 0, created: now,
                    attempted: nil, problem: nil))
        }
    }

    package func dueWebhooks(now: Foundation.Date) async throws -> DueWebhooks {
        try await read { db in
            var numbers: [Int] = []
            var next: Foundation.Date?
            var present: [Int] = []
            for row in try Row.fetchAll(db, sql: "SELECT * FROM webhook ORDER BY number") {
                let course = try Self.course(row)
                let number: Int = row["number"]
                present.append(number)
                if try Self.hasOrdered(number, db) {
                    numbers.append(number)
                } else if course.disabled == nil,
                    try Self.nextEntry(after: row["cursor"], WebhookEvents(kept: Self.list(row["events"])), db) != nil
                {
                    if let later = course.next, later > now {
                        next = min(next ?? later, later)
                    } else {
                        numbers.append(number)
                    }
                }
            }
            return DueWebhooks(numbers: numbers, next: next, present: present)
        }
    }

    package func nextWebhookWork(for number: Int, now: Foundation.Date) async throws -> WebhookWork? {
        let (work, end): (WebhookWork?, Int?) = try await read { db in
            guard let row = try Row.fetchOne(db, sql: "SELECT * FROM webhook WHERE number = ?", arguments: [number])
            else { return (nil, nil) }
            let course = try Self.course(row)
            let event: WebhookWork.Event
            if let ordered = try Self.nextOrdered(number, db) {
                event = .ordered(ordered, try ordered.sequence.flatMap { try Self.entry($0, db) })
            } else {
                guard course.disabled == nil, course.next ?? now <= now else { return (nil, nil) }
                let events = WebhookEvents(kept: try Self.list(row["events"]))
                guard let entry = try Self.nextEntry(after: row["cursor"], events, db) else {
                    return (nil, try Self.farEnd(from: row["cursor"], db))
                }
                event = .entry(entry)
            }
            let work = WebhookWork(
                webhook: number, name: row["name"], url: row["url"], failures: course.failures, event: event,
                secrets: try Self.secrets(of: number, db, now: now))
            return (work, nil)
        }
        if let end {
            try await write { db in
                try db.execute(
                    sql: "UPDATE webhook SET cursor = MAX(cursor, ?) WHERE number = ?", arguments: [end, number])
            }
        }
        return work
    }

    package func settleWebhook(
        _ work: WebhookWork, _ answer: WebhookAnswer, now: Foundation.Date, jitter: Double
    ) async throws {
        try await write { db in
            switch work.event {
            case .entry(let entry): try Self.settle(work, entry, answer, db, now: now, jitter: jitter)
            case .ordered(let delivery, _):
                let state: WebhookDelivery.State = WebhookCourse.isDelivered(answer) ? .delivered : .failed
                try db.execute(
                    sql: """
                        UPDATE webhook_delivery SET state = ?, attempts = attempts + 1, attempted = ?, problem = ?
                        WHERE number = ? AND state = 'waiting'
                        """,
                    arguments: [state.rawValue, now.seconds, WebhookCourse.text(of: answer), delivery.number])
            }
            try Self.forgetOldDeliveries(of: work.webhook, db)
        }
    }

    /// Both in one: the place moves on if and only if the delivery is on record.
    private static func settle(
        _ work: WebhookWork, _ entry: AuditEntry, _ answer: WebhookAnswer, _ db: Database, now: Foundation.Date,
        jitter: Double
    ) throws {
        let row = try Row.fetchOne(
            db.cachedStatement(sql: "SELECT * FROM webhook WHERE number = ? AND cursor < ?"),
            arguments: [work.webhook, entry.sequence])
        guard let row else { return }
        var course = try course(row)
        let wasDisabled = course.disabled != nil
        let isDelivered = course.settle(answer, now: now, jitter: jitter)
        try keep(course, of: work.webhook, db)
        if isDelivered {
            try db.executeCached(
                sql: "UPDATE webhook SET cursor = ? WHERE number = ?", arguments: [entry.sequence, work.webhook])
        }
        let state: WebhookDelivery.State = isDelivered ? .delivered : course.disabled == nil ? .waiting : .failed
        try db.executeCached(
            sql: """
                INSERT INTO webhook_delivery (webhook, kind, sequence, state, attempts, created, attempted, problem)
                VALUES (:webhook, 'event', :sequence, :state, 1, :now, :now, :problem)
                ON CONFLICT (webhook, sequence) WHERE kind = 'event' DO UPDATE SET state = excluded.state,
                    attempts = attempts + 1, attempted = excluded.attempted, problem = excluded.problem
                """,
            arguments: [
                "webhook": work.webhook, "sequence": entry.sequence, "state": state.rawValue, "now": now.seconds,
                "problem": WebhookCourse.text(of: answer),
            ])
        if !wasDisabled, let disabled = course.disabled {
            try audit(
                .disableWebhook, row["name"], ["reason": .string(disabled.reason.rawValue)], by: .server, db, now: now)
        }
    }

    private static func forgetOldDeliveries(of webhook: Int, _ db: Database) throws {
        try db.executeCached(
            sql: """
                DELETE FROM webhook_delivery WHERE webhook = :webhook AND state <> 'waiting' AND number <=
                    (SELECT number FROM webhook_delivery WHERE webhook = :webhook
                     ORDER BY number DESC LIMIT 1 OFFSET :kept)
                """,
            arguments: ["webhook": webhook, "kept": WebhookDelivery.mostKept])
    }

    // MARK: Reading

    private static let ordered = "webhook = ? AND state = 'waiting' AND kind <> 'event'"

    private static func hasOrdered(_ webhook: Int, _ db: Database) throws -> Bool {
        try Bool.fetchOne(
            db, sql: "SELECT EXISTS (SELECT 1 FROM webhook_delivery WHERE \(ordered))", arguments: [webhook]) == true
    }

    private static func nextOrdered(_ webhook: Int, _ db: Database) throws -> WebhookDelivery? {
        try Row.fetchOne(
            db, sql: "SELECT * FROM webhook_delivery WHERE \(ordered) ORDER BY number LIMIT 1", arguments: [webhook]
        ).map(webhookDelivery)
    }

    private static func entry(_ sequence: Int, _ db: Database) throws -> AuditEntry? {
        try Row.fetchOne(db, sql: "SELECT * FROM audit WHERE sequence = ?", arguments: [sequence]).map(auditEntry)
    }

    private static func nextEntry(after cursor: Int, _ events: WebhookEvents, _ db: Database) throws -> AuditEntry? {
        let (condition, arguments) = asked(events, after: cursor)
        return try Row.fetchOne(
            db, sql: "SELECT * FROM audit WHERE \(condition) ORDER BY sequence LIMIT 1", arguments: arguments
        ).map(auditEntry)
    }

    /// How many entries wait, up to one more than are counted.
    static func waiting(after cursor: Int, _ events: WebhookEvents, _ db: Database) throws -> Int {
        let (condition, arguments) = asked(events, after: cursor)
        return try Int.fetchOne(
            db, sql: "SELECT COUNT(*) FROM (SELECT 1 FROM audit WHERE \(condition) LIMIT \(Webhook.mostCounted + 1))",
            arguments: arguments) ?? 0
    }

    private static func asked(
        _ events: WebhookEvents, after cursor: Int
    ) -> (condition: String, arguments: StatementArguments) {
        // The sign keeps SQLite from looking through all entries of an action for those behind the place.
        guard let actions = events.actions else { return ("sequence > ?", [cursor]) }
        return ("sequence > ? AND +action IN (SELECT value FROM json_each(?))", [cursor, listText(actions)])
    }

    private static func farEnd(from cursor: Int, _ db: Database) throws -> Int? {
        guard let end = try Int.fetchOne(db, sql: "SELECT MAX(sequence) FROM audit"), end - cursor >= skip else {
            return nil
        }
        return end
    }

    private static func secrets(of webhook: Int, _ db: Database, now: Foundation.Date) throws -> [KeptSecret] {
        try Row.fetchAll(
            db,
            sql: "SELECT * FROM webhook_secret WHERE webhook = ? AND (ends IS NULL OR ends > ?) ORDER BY number DESC",
            arguments: [webhook, now.seconds]
        ).map { KeptSecret(name: WebhookDraft.sealName(webhook), version: $0["number"], secret: sealed($0)) }
    }

    private static func webhookDelivery(_ row: Row) throws -> WebhookDelivery {
        WebhookDelivery(
            number: row["number"], kind: try row.word("kind"), sequence: row["sequence"], state: try row.word("state"),
            attempts: row["attempts"], created: row.date("created"), attempted: row.optionalDate("attempted"),
            problem: row["problem"])
    }
}
