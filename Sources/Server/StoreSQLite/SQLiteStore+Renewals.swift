package import Foundation
import GRDB
import InputBounds
package import Management

extension SQLiteStore {
    package func dueRenewals(now: Foundation.Date, limit: Int) async throws -> [String] {
        try await read { db in
            try String.fetchAll(
                db, sql: "SELECT enrollment FROM renewal WHERE due <= ? ORDER BY due LIMIT ?",
                arguments: [now.seconds, limit])
        }
    }

    package func hastenRenewals(now: Foundation.Date) async throws {
        let latest = now + IdentityRenewal.longestPause
        let putOff = "ordered IS NOT NULL AND due > ?"
        let isAny = try await readAside { db in
            try Bool.fetchOne(
                db, sql: "SELECT EXISTS (SELECT 1 FROM renewal WHERE \(putOff))", arguments: [latest.seconds]) ?? false
        }
        guard isAny else { return }
        try await write { db in
            try db.execute(
                sql: "UPDATE renewal SET due = ? WHERE \(putOff)", arguments: [now.seconds, latest.seconds])
        }
    }

    package func stepRenewal(
        of device: String, command: QueuedCommand, grace: TimeInterval, now: Foundation.Date
    ) async throws -> IdentityRenewal.Step {
        try await write { db in
            let row = try Row.fetchOne(
                db,
                sql: """
                    SELECT r.due, r.ordered, c.not_after, (EXISTS (SELECT 1 FROM command
                        WHERE enrollment = r.enrollment AND uuid = r.command AND finished IS NULL)
                        OR EXISTS (SELECT 1 FROM enrollment_code
                        WHERE renews = r.enrollment AND state = 'redeemed' AND created > ?)) AS is_waiting
                    FROM renewal r JOIN enrollment e ON e.key = r.enrollment
                        JOIN certificate c ON c.fingerprint = e.fingerprint
                    WHERE r.enrollment = ?
                    """,
                arguments: [(now - IdentityRenewal.firstUse).seconds, device])
            guard let row else { return .wait }
            let renewal = IdentityRenewal(
                notAfter: row.date("not_after"), due: row.date("due"), ordered: row.optionalDate("ordered"))
            let step = renewal.step(now: now, grace: grace, isWaiting: row["is_waiting"])
            switch step {
            case .wait: break
            case .wake(let again):
                try db.execute(
                    sql: "UPDATE renewal SET due = ? WHERE enrollment = ?", arguments: [again.seconds, device])
            case .order(let again):
                try Self.append(command, for: device, db)
                try db.execute(
                    sql: """
                        UPDATE renewal SET due = ?, ordered = COALESCE(ordered, ?), command = ? WHERE enrollment = ?
                        """,
                    arguments: [again.seconds, now.seconds, command.uuid, device])
            case .lapse:
                try Self.endRenewal(of: device, db)
                try Self.audit(
                    .lapseDevice, device, ["expired": .moment(renewal.notAfter)], by: .server, db, now: now)
            }
            return step
        }
    }

    package func addRenewalRight(_ right: EnrollmentCode, digest: Data) async throws {
        try await write { db in
            try Self.revokeRights(ofRenewing: right.renews, db)
            try Self.insert(right, digest: digest, db)
        }
    }

    package func exchangeRenewal(
        result: CommandResult?, device: String, now: Foundation.Date
    ) async throws -> QueueStep {
        try await write { db in
            let uuid = try String.fetchOne(
                db, sql: "SELECT command FROM renewal WHERE enrollment = ?", arguments: [device])
            var known = false
            if let result, result.uuid == uuid { known = try Self.record(result, device, db, now: now) }
            let open = try Int64.fetchOne(
                db, sql: "SELECT id FROM command WHERE enrollment = ? AND uuid = ? AND finished IS NULL",
                arguments: [device, uuid])
            guard let open, result?.verdict != .notNow else {
                return QueueStep(next: nil, knownResult: known, hasOpenCommands: open != nil)
            }
            return QueueStep(
                next: try Self.send(open, db, now: now), knownResult: known, hasOpenCommands: true, renews: true)
        }
    }

    package func retireIdentity(of device: String, now: Foundation.Date) async throws {
        try await write { db in
            let row = try Row.fetchOne(
                db,
                sql: """
                    SELECT e.parent, old.serial AS old, new.serial AS new, new.not_after FROM enrollment e
                        LEFT JOIN certificate old ON old.fingerprint = e.previous_fingerprint
                        JOIN certificate new ON new.fingerprint = e.fingerprint
                    WHERE e.key = ? AND e.previous_fingerprint IS NOT NULL
                    """,
                arguments: [device])
            guard let row else { return }
            try db.execute(
                sql: "UPDATE enrollment SET previous_fingerprint = NULL WHERE key = ? OR parent = ?",
                arguments: [device, device])
            // A user's channel speaks with its device's identity: that it changed is in the log once.
            guard (row["parent"] as String?) == nil else { return }
            try Self.audit(
                .renewDevice, device,
                [
                    "serial": .string(row["new"]), "replaced": .string((row["old"] as String?) ?? ""),
                    "expires": .moment(row.date("not_after")),
                ], by: .device(device), db, now: now)
        }
    }

    // MARK: Parts of other operations

    /// Whether a command is the one by which the server has a device renew its identity.
    static func isRenewal(_ command: QueuedCommand, of device: String, _ db: Database) throws -> Bool {
        guard command.requestType == "InstallProfile" else { return false }
        return try Bool.fetchOne(
            db, sql: "SELECT EXISTS (SELECT 1 FROM renewal WHERE enrollment = ? AND command = ?)",
            arguments: [device, command.uuid]) ?? false
    }

    /// In SQL: whether a command is an order to renew that the device followed, since its renewal waits for no order.
    ///
    /// Such a command has no profile yet; it gets one when it leaves (`Management.outgoing`).
    static let isFollowedOrder = """
        (request_type = 'InstallProfile' AND author = 'martlet-server' AND instr(document, x'5061796c6f6164') = 0
            AND NOT EXISTS (SELECT 1 FROM renewal WHERE renewal.enrollment = command.enrollment
                AND renewal.command = command.uuid))
        """

    /// Ends an order that a device followed and whose answer was lost: it came with the new certificate.
    static func endFollowedOrder(_ id: Int64, _ db: Database, now: Foundation.Date) throws {
        try db.execute(
            sql: "UPDATE command SET state = 'acknowledged', deferred = 0, finished = ? WHERE id = ?",
            arguments: [now.seconds, id])
    }

    /// The certificate that was pinned just now is to be renewed in its time.
    static func awaitRenewal(of device: String, fingerprint: Data, _ db: Database) throws {
        let row = try Row.fetchOne(
            db, sql: "SELECT issued, not_after FROM certificate WHERE fingerprint = ?", arguments: [fingerprint])
        guard let row else { return }
        let due = IdentityRenewal.due(
            issued: row.date("issued"), notAfter: row.date("not_after"), fingerprint: fingerprint)
        try db.execute(
            sql: "INSERT OR REPLACE INTO renewal (enrollment, due) VALUES (?, ?)", arguments: [device, due.seconds])
    }

    /// Nothing is renewed any more, and nobody has a right to.
    static func endRenewal(of device: String, _ db: Database) throws {
        try db.execute(sql: "DELETE FROM renewal WHERE enrollment = ?", arguments: [device])
        try revokeRights(ofRenewing: device, db)
    }

    private static func revokeRights(ofRenewing device: String?, _ db: Database) throws {
        try db.execute(
            sql: """
                UPDATE enrollment_code SET state = 'revoked' WHERE renews = ? AND state IN ('unused', 'redeemed')
                """,
            arguments: [device])
    }
}
