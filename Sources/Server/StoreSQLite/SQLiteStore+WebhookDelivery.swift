package import Foundation
import GRDB
import InputBounds
package import Management

extension SQLiteStore {
    /// A place that is this far behind moves on although nothing was delivered, so that nobody looks at the same again.
    private static let skip = 1_000
    /// Entries that are looked at at once.
    private static let looked = 10_000

    /// The next entry for a webhook, among those that one look covers.
    private enum NextEntry {
        case entry(AuditEntry)
        /// Nothing up to this entry; whether that is the newest one.
        case nothing(through: Int, isEnd: Bool)
    }

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
                } else if course.disabled == nil, try Self.isBehind(row, db) {
                    if let later = course.next, !course.isDue(now) {
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
        while true {
            let (work, passed, isEnd) = try await lookForWork(of: number, now: now)
            if let passed {
                try await write { db in
                    try db.executeCached(
                        sql: "UPDATE webhook SET cursor = MAX(cursor, ?) WHERE number = ?", arguments: [passed, number])
                }
            }
            if isEnd { return work }
        }
    }

    /// The work there is, the entry up to which there is none and the place moves on, and whether nothing is left to look
    /// at.
    private func lookForWork(
        of number: Int, now: Foundation.Date
    ) async throws -> (work: WebhookWork?, passed: Int?, isEnd: Bool) {
        try await read { db in
            guard let row = try Row.fetchOne(db, sql: "SELECT * FROM webhook WHERE number = ?", arguments: [number])
            else { return (nil, nil, true) }
            let course = try Self.course(row)
            let event: WebhookWork.Event
            var passed: Int?
            if let ordered = try Self.nextOrdered(number, db) {
                event = .ordered(ordered, try ordered.sequence.flatMap { try Self.entry($0, db) })
            } else {
                guard course.disabled == nil, course.isDue(now) else { return (nil, nil, true) }
                switch try Self.nextEntry(of: row, db) {
                case .entry(let entry): event = Self.older(entry, try Self.nextFeedback(of: row, db))
                case .nothing(let end, let isEnd):
                    passed = end - (row["cursor"] as Int) >= Self.skip ? end : nil
                    guard let feedback = try Self.nextFeedback(of: row, db) else { return (nil, passed, isEnd) }
                    event = .feedback(feedback)
                }
            }
            let work = WebhookWork(
                webhook: number, name: row["name"], url: row["url"], failures: course.failures, event: event,
                secrets: try Self.secrets(of: number, db, now: now))
            return (work, passed, true)
        }
    }

    /// An entry and feedback share one order: the older one is sent first.
    private static func older(_ entry: AuditEntry, _ feedback: FeedbackRecord?) -> WebhookWork.Event {
        guard let feedback, feedback.received < entry.time else { return .entry(entry) }
        return .feedback(feedback)
    }

    package func settleWebhook(
        _ work: WebhookWork, _ answer: WebhookAnswer, now: Foundation.Date, jitter: Double
    ) async throws {
        try await write { db in
            switch work.event {
            case .entry(let entry):
                try Self.settle(work, .entry(entry.sequence), answer, db, now: now, jitter: jitter)
            case .feedback(let record):
                try Self.settle(work, .feedback(record.number), answer, db, now: now, jitter: jitter)
            case .ordered(let delivery, _):
                let state: WebhookDelivery.State = WebhookCourse.isDelivered(answer) ? .delivered : .failed
                try db.execute(
                    sql: """
                        UPDATE webhook_delivery SET state = ?, attempts = attempts + 1, attempted = ?, problem = ?
                        WHERE number = ? AND state = 'waiting'
                        """,
                    arguments: [state.rawValue, now.seconds, WebhookCourse.text(of: answer), delivery.number])
                // A test shows as well as an entry that the receiver takes what is sent.
                if state == .delivered, db.changesCount > 0 {
                    try db.execute(
                        sql: "UPDATE webhook SET last_delivered = ? WHERE number = ?",
                        arguments: [now.seconds, work.webhook])
                }
            }
            try Self.forgetOldDeliveries(of: work.webhook, db)
        }
    }

    /// Both in one: the place moves on if and only if the delivery is on record.
    private static func settle(
        _ work: WebhookWork, _ place: WebhookPlace, _ answer: WebhookAnswer, _ db: Database, now: Foundation.Date,
        jitter: Double
    ) throws {
        let row = try Row.fetchOne(
            db.cachedStatement(sql: "SELECT * FROM webhook WHERE number = ? AND \(place.cursor) < ?"),
            arguments: [work.webhook, place.number])
        guard let row else { return }
        var course = try course(row)
        let wasDisabled = course.disabled != nil
        let isDelivered = course.settle(answer, now: now, jitter: jitter)
        try keep(course, of: work.webhook, db)
        if isDelivered {
            try db.executeCached(
                sql: "UPDATE webhook SET \(place.cursor) = ? WHERE number = ?",
                arguments: [place.number, work.webhook])
        }
        let isTriedAgain = try course.disabled == nil && isThere(place, db)
        let state: WebhookDelivery.State = isDelivered ? .delivered : isTriedAgain ? .waiting : .failed
        try db.executeCached(
            sql: """
                INSERT INTO webhook_delivery
                    (webhook, kind, \(place.delivered), state, attempts, created, attempted, problem)
                VALUES (:webhook, 'event', :number, :state, 1, :now, :now, :problem)
                ON CONFLICT \(place.unique) DO UPDATE SET state = excluded.state,
                    attempts = attempts + 1, attempted = excluded.attempted, problem = excluded.problem
                """,
            arguments: [
                "webhook": work.webhook, "number": place.number, "state": state.rawValue, "now": now.seconds,
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

    /// Whether there is something to send, or more to look at than is looked at at once.
    private static func isBehind(_ webhook: Row, _ db: Database) throws -> Bool {
        guard try !hasFeedback(webhook, db) else { return true }
        return switch try nextEntry(of: webhook, db) {
        case .entry: true
        case .nothing(_, let isEnd): !isEnd
        }
    }

    private static func nextEntry(of webhook: Row, _ db: Database) throws -> NextEntry {
        let (range, isEnd) = try unseen(after: webhook["cursor"], db)
        let (condition, arguments) = try asked(of: webhook, in: range, db)
        let entry = try Row.fetchOne(
            db, sql: "SELECT * FROM audit WHERE \(condition) ORDER BY sequence LIMIT 1", arguments: arguments)
        return entry.map { .entry(auditEntry($0)) } ?? .nothing(through: range.upperBound - 1, isEnd: isEnd)
    }

    /// How many entries wait, up to one more than are counted, and whether there are more that were not looked at.
    static func waiting(for webhook: Row, _ db: Database) throws -> (count: Int, isMore: Bool) {
        let (range, isEnd) = try unseen(after: webhook["cursor"], db)
        let (condition, arguments) = try asked(of: webhook, in: range, db)
        let count =
            try Int.fetchOne(
                db,
                sql: "SELECT COUNT(*) FROM (SELECT 1 FROM audit WHERE \(condition) LIMIT \(Webhook.mostCounted + 1))",
                arguments: arguments) ?? 0
        return (min(count, Webhook.mostCounted), count > Webhook.mostCounted || !isEnd)
    }

    /// The entries that are looked at next, and whether those are all.
    private static func unseen(after cursor: Int, _ db: Database) throws -> (range: Range<Int>, isEnd: Bool) {
        let first = try Int.fetchOne(db.cachedStatement(sql: "SELECT MIN(sequence) FROM audit")) ?? 1
        let last = try Int.fetchOne(db.cachedStatement(sql: "SELECT MAX(sequence) FROM audit")) ?? 0
        let start = max(cursor + 1, first)
        let end = max(start, min(last + 1, start + looked))
        return (start..<end, end > last)
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
            number: row["number"], kind: try row.word("kind"), sequence: row["sequence"], feedback: row["feedback"],
            state: try row.word("state"), attempts: row["attempts"], created: row.date("created"),
            attempted: row.optionalDate("attempted"), problem: row["problem"])
    }
}
