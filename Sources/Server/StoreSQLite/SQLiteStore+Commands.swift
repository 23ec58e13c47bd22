package import Foundation
import GRDB
import InputBounds
package import Management

extension SQLiteStore {
    package func enqueue(
        _ command: QueuedCommand, for device: String, by actor: AuditActor
    ) async throws -> Outcome<QueuedCommand, AdminRefusal> {
        try await write { db in try Self.enqueue(command, for: device, by: actor, db) }
    }

    package func enqueue(
        _ commands: [(device: String, command: QueuedCommand)], by actor: AuditActor
    ) async throws -> [AdminRefusal?] {
        try await write { db in
            try commands.map { try Self.enqueue($0.command, for: $0.device, by: actor, db).refusal }
        }
    }

    static func enqueue(
        _ command: QueuedCommand, for device: String, by actor: AuditActor, _ db: Database
    ) throws -> Outcome<QueuedCommand, AdminRefusal> {
        guard let context = try Self.context(device, db) else { return .refused(.unknownDevice) }
        guard context.state == .pending || context.state == .enrolled else { return .refused(.deviceWithdrawn) }
        if let present = try Self.command(command.uuid, device, db) { return .accepted(present) }
        let open = try Int.fetchOne(
            db, sql: "SELECT COUNT(*) FROM command WHERE enrollment = ? AND finished IS NULL", arguments: [device])
        guard let open, open < CommandLimits.open else { return .refused(.queueFull(limit: CommandLimits.open)) }
        try Self.append(command, for: device, db)
        var details: [String: JSONValue] = [
            "command": .string(command.uuid), "type": .string(command.requestType),
        ]
        if !command.suspectedSecrets.isEmpty {
            details["suspectedSecrets"] = .array(command.suspectedSecrets.map(JSONValue.string))
        }
        try Self.audit(.queueCommand, device, details, by: actor, db, now: command.created)
        return .accepted(command)
    }

    static func append(_ command: QueuedCommand, for device: String, _ db: Database) throws {
        try db.execute(
            sql: """
                INSERT INTO command (enrollment, uuid, request_type, document, state, deferred, author, created, expires)
                VALUES (?, ?, ?, ?, 'queued', 0, ?, ?, ?)
                """,
            arguments: [
                device, command.uuid, command.requestType, command.document, command.author, command.created.seconds,
                command.expires?.seconds,
            ])
    }

    package func exchange(
        _ report: CommandQueue.Report, result: CommandResult?, device: String, now: Foundation.Date
    ) async throws -> QueueStep {
        try await write { db in
            let known = try result.map { try Self.record($0, device, db, now: now) } ?? false
            let unfinished = try Row.fetchAll(
                db,
                sql: """
                    SELECT id, state, deferred, expires, \(Self.isFollowedOrder) AS is_followed FROM command
                    WHERE enrollment = ? AND finished IS NULL ORDER BY id
                    """,
                arguments: [device])
            for row in unfinished where row["is_followed"] { try Self.endFollowedOrder(row["id"], db, now: now) }
            let rows = unfinished.filter { !($0["is_followed"] as Bool) }
            if rows.contains(where: { Self.isOver($0, now: now) }) { _ = try Self.expire(db, now: now) }
            let open = rows.filter { !Self.isOver($0, now: now) }.map { row in
                CommandQueue.Entry(id: row["id"], sent: row["state"] == "sent", deferred: row["deferred"])
            }
            let next = CommandQueue.next(after: report, open: open)
            if report == .idle, open.contains(where: \.deferred) {
                try db.execute(
                    sql: "UPDATE command SET deferred = 0 WHERE enrollment = ? AND finished IS NULL",
                    arguments: [device])
            }
            guard let next else {
                return QueueStep(next: nil, knownResult: known, hasOpenCommands: !open.isEmpty)
            }
            let command = try Self.send(next.id, db, now: now)
            return QueueStep(
                next: command, knownResult: known, hasOpenCommands: true,
                renews: try command.map { try Self.isRenewal($0, of: device, db) } ?? false)
        }
    }

    /// Whether a row's command has had its time.
    private static func isOver(_ row: Row, now: Foundation.Date) -> Bool {
        (row["expires"] as Int64?).map { $0 <= now.seconds } ?? false
    }

    /// Marks a command as sent, which it is once this is on disk.
    static func send(_ id: Int64, _ db: Database, now: Foundation.Date) throws -> QueuedCommand? {
        try db.execute(
            sql: "UPDATE command SET state = 'sent', sent = ?, deferred = 0 WHERE id = ?", arguments: [now.seconds, id])
        return try Row.fetchOne(db, sql: "SELECT * FROM command WHERE id = ?", arguments: [id]).map(command)
    }

    package func command(_ uuid: String, of device: String) async throws -> QueuedCommand? {
        try await read { db in try Self.command(uuid, device, db) }
    }

    package func commands(
        of device: String, _ page: PageRequest
    ) async throws -> Outcome<Page<QueuedCommand>, AdminRefusal> {
        let after = page.after.flatMap { Int64($0) } ?? 0
        return try await read { db in
            guard try Self.context(device, db) != nil else { return .refused(.unknownDevice) }
            let rows = try Row.fetchAll(
                db, sql: "SELECT * FROM command WHERE enrollment = ? AND id > ? ORDER BY id LIMIT ?",
                arguments: [device, after, page.limit + 1])
            let numbered = try rows.map { row in (id: row["id"] as Int64, command: try Self.command(row)) }
            return .accepted(Page(cutting: numbered, to: page.limit) { String($0.id) }.map(\.command))
        }
    }

    package func removeCommand(
        _ uuid: String, of device: String, author: String, now: Foundation.Date
    ) async throws -> AdminRefusal? {
        try await write { db in
            guard let command = try Self.command(uuid, device, db) else { return .unknownCommand }
            if command.state == .sent {
                try Self.retire(uuid, device, db, now: now)
            } else {
                try db.execute(
                    sql: "DELETE FROM command WHERE enrollment = ? AND uuid = ?", arguments: [device, uuid])
            }
            try Self.audit(
                command.state == .sent ? .retireCommand : .removeCommand, device,
                ["command": .string(uuid), "type": .string(command.requestType)], by: .administrator(author), db,
                now: now)
            return nil
        }
    }

    // MARK: One command

    /// A command that was sent is not sent again; a configuration in it goes.
    static func retire(_ uuid: String, _ device: String, _ db: Database, now: Foundation.Date) throws {
        try db.executeCached(
            sql: """
                UPDATE command SET state = 'retired', deferred = 0, finished = ?,
                    document = CASE WHEN expires IS NULL THEN document ELSE x'' END
                WHERE enrollment = ? AND uuid = ?
                """,
            arguments: [now.seconds, device, uuid])
    }

    /// Keeps the first result of a command; a later error replaces the acknowledgement of one that is acknowledged first.
    ///
    /// A retired command stays retired. Answers whether the command is known.
    static func record(
        _ result: CommandResult, _ device: String, _ db: Database, now: Foundation.Date
    ) throws -> Bool {
        guard let command = try command(result.uuid, device, db) else { return false }
        if command.state == .retired { return try keepLate(result, of: command, device, db, now: now) }
        let isTakenBack =
            command.state == .acknowledged && result.verdict == .error
            && CommandRule.of(command.requestType).isAcknowledgedFirst
        guard command.state.isOpen || isTakenBack else { return true }
        if !isTakenBack, let expires = command.expires, expires <= now {
            _ = try expire(db, now: now)
            return true
        }
        let state: QueuedCommand.State
        switch result.verdict {
        case .notNow:
            try db.execute(
                sql: "UPDATE command SET deferred = 1, state = 'sent' WHERE enrollment = ? AND uuid = ?",
                arguments: [device, result.uuid])
            return true
        case .acknowledged: state = .acknowledged
        case .error: state = .error
        case .commandFormatError: state = .commandFormatError
        }
        try db.execute(
            sql: """
                UPDATE command SET state = ?, deferred = 0, finished = ?, result = ?, too_large = ?,
                    document = CASE WHEN expires IS NULL THEN document ELSE x'' END
                WHERE enrollment = ? AND uuid = ?
                """,
            arguments: [state.rawValue, now.seconds, result.document, result.tooLarge, device, result.uuid])
        if state == .acknowledged { try follow(command, result, device, db, now: now) }
        return true
    }

    /// The first answer to a retired command is kept beside its state: it was sent, and the device may have carried it out.
    private static func keepLate(
        _ result: CommandResult, of command: QueuedCommand, _ device: String, _ db: Database, now: Foundation.Date
    ) throws -> Bool {
        guard result.verdict != .notNow, command.result == nil, !command.resultTooLarge else { return true }
        try db.execute(
            sql: "UPDATE command SET finished = ?, result = ?, too_large = ? WHERE enrollment = ? AND uuid = ?",
            arguments: [now.seconds, result.document, result.tooLarge, device, result.uuid])
        if result.verdict == .acknowledged { try follow(command, result, device, db, now: now) }
        return true
    }

    /// What follows from a command that a device carried out.
    private static func follow(
        _ command: QueuedCommand, _ result: CommandResult, _ device: String, _ db: Database, now: Foundation.Date
    ) throws {
        // Of apps that are not known nothing is kept but the answer.
        _ = try keep(result.feedback, of: device, db, now: now)
        guard command.requestType == "DeviceConfigured" else { return }
        try db.execute(sql: "UPDATE enrollment SET awaiting = 0 WHERE key = ?", arguments: [device])
    }

    static func command(_ uuid: String, _ device: String, _ db: Database) throws -> QueuedCommand? {
        try Row.fetchOne(
            db, sql: "SELECT * FROM command WHERE enrollment = ? AND uuid = ?", arguments: [device, uuid]
        ).map(command)
    }

    static func command(_ row: Row) throws -> QueuedCommand {
        QueuedCommand(
            uuid: row["uuid"], requestType: row["request_type"], document: row["document"],
            state: try row.word("state"),
            deferred: row["deferred"], author: row["author"], created: row.date("created"),
            sent: row.optionalDate("sent"), finished: row.optionalDate("finished"), result: row["result"],
            resultTooLarge: row["too_large"], expires: row.optionalDate("expires"))
    }
}
