package import Foundation
import GRDB
import InputBounds
package import Management

/// Commands that hold a configuration for a while.
extension SQLiteStore {
    package func enqueueTrial(
        _ command: QueuedCommand, of subject: TrialSubject, for device: String, limit: Int
    ) async throws -> Outcome<QueuedCommand, AdminRefusal> {
        try await write { db in
            guard let context = try Self.context(device, db) else { return .refused(.unknownDevice) }
            guard context.state == .pending || context.state == .enrolled else { return .refused(.deviceWithdrawn) }
            _ = try Self.expire(db, now: command.created)
            let open = try Row.fetchOne(
                db,
                sql: """
                    SELECT COUNT(*) AS all_open, COUNT(expires) AS trials FROM command
                    WHERE enrollment = ? AND finished IS NULL
                    """,
                arguments: [device])
            guard let open, open["trials"] < limit else { return .refused(.queueFull(limit: limit)) }
            guard open["all_open"] < CommandLimits.open else {
                return .refused(.queueFull(limit: CommandLimits.open))
            }
            try Self.append(command, for: device, db)
            var details: [String: JSONValue] = ["command": .string(command.uuid), "device": .string(device)]
            if let name = subject.extension { details["extension"] = .string(name) }
            try Self.audit(
                .tryConfiguration, subject.app, details, by: .administrator(command.author), db, now: command.created)
            return .accepted(command)
        }
    }

    package func expireCommands(now: Foundation.Date) async throws -> [String] {
        // Mostly there is none, and then nothing is written.
        let isDue = try await read { db in
            try Bool.fetchOne(
                db,
                sql: "SELECT EXISTS (SELECT 1 FROM \(Self.expiring) WHERE finished IS NULL AND expires <= ?)",
                arguments: [now.seconds]) ?? false
        }
        return isDue ? try await write { db in try Self.expire(db, now: now) } : []
    }

    /// Few commands expire, and each device has open ones: without a name SQLite would take the index of the latter.
    private static let expiring = "command INDEXED BY command_expiring"

    /// Ends what has had its time, in the caller's transaction, and empties it.
    static func expire(_ db: Database, now: Foundation.Date) throws -> [String] {
        let devices = try String.fetchAll(
            db.cachedStatement(
                sql: "SELECT DISTINCT enrollment FROM \(expiring) WHERE finished IS NULL AND expires <= ?"),
            arguments: [now.seconds])
        guard !devices.isEmpty else { return [] }
        try db.execute(
            sql: """
                UPDATE \(expiring) SET state = 'dropped', deferred = 0, finished = ?, document = x''
                WHERE finished IS NULL AND expires <= ?
                """,
            arguments: [now.seconds, now.seconds])
        return devices
    }
}
