package import Foundation
import GRDB
package import Management

extension SQLiteStore {
    package func prune(_ retention: Retention, now: Foundation.Date) async throws {
        let ended = now.addingTimeInterval(-retention.endedCodeSeconds)
        try await remove(Sweep(table: "session", time: "expires", key: ["digest"]), before: now)
        try await remove(
            Sweep(table: "command", time: "finished", key: ["id"], range: "finished IS NOT NULL"),
            before: now.addingTimeInterval(-retention.finishedCommandSeconds))
        try await pruneFinishedCommands(keeping: retention.finishedCommandsPerDevice)
        try await remove(Sweep(table: "enrollment_code", time: "expires", key: ["number"]), before: ended)
        try await remove(Sweep(table: "invitation", time: "expires", key: ["account"]), before: ended)
        try await remove(
            Sweep(
                table: "certificate", time: "not_after", key: ["fingerprint"],
                condition: """
                    NOT EXISTS (SELECT 1 FROM enrollment e WHERE e.key = certificate.enrollment
                        AND certificate.fingerprint IN (e.fingerprint, e.previous_fingerprint))
                    """), before: now)
        try await remove(
            Sweep(table: "api_token", time: "MIN(expires, COALESCE(revoked, expires))", key: ["number"]),
            before: now.addingTimeInterval(-retention.endedTokenSeconds))
        try await remove(
            Sweep(table: "webhook_delivery", time: "created", key: ["number"], condition: "state <> 'waiting'"),
            before: now.addingTimeInterval(-retention.webhookDeliverySeconds))
        try await remove(
            Sweep(table: "webhook_secret", time: "ends", key: ["webhook", "number"], range: "ends IS NOT NULL"),
            before: now)
        try await remove(
            Sweep(table: "job", time: "ended", key: ["number"], range: "ended IS NOT NULL"),
            before: now.addingTimeInterval(-retention.endedJobSeconds))
        try await remove(
            Sweep(table: "device_history", time: "time", key: ["number"]),
            before: now.addingTimeInterval(-retention.deviceHistorySeconds))
        try await remove(
            Sweep(table: "app_feedback", time: "received", key: ["number"]),
            before: now.addingTimeInterval(-retention.feedbackSeconds))
        try await pruneFeedbackSums(retention, now: now)
        try await pruneSnapshots(retention, now: now)
        try await pruneAdoption(before: now.addingTimeInterval(-retention.adoptionSeconds))
        if let seconds = retention.auditSeconds { try await pruneAudit(before: now - seconds, now: now) }
        try await remove(
            Sweep(table: "request", time: "begun", key: ["digest"]),
            before: now.addingTimeInterval(-RequestLimits.seconds))
        try await pruneOrders(before: now.addingTimeInterval(-retention.endedOrderSeconds), now: now)
        try await remove(
            Sweep(
                table: "file", time: nil, key: ["sha256"],
                condition: """
                    NOT EXISTS (SELECT 1 FROM configuration_version v WHERE v.sha256 = file.sha256)
                    AND NOT EXISTS (SELECT 1 FROM snapshot_file s WHERE s.sha256 = file.sha256)
                    AND NOT EXISTS (SELECT 1 FROM setting_file f WHERE f.sha256 = file.sha256)
                    """), before: now)
    }

    /// Sums go when the last life that they may have is due: by hour after some days, by day with the lives.
    private func pruneFeedbackSums(_ retention: Retention, now: Foundation.Date) async throws {
        let day = TimeInterval(FeedbackCount.daySeconds)
        try await remove(
            Sweep(
                table: "feedback_interval", time: "start", key: ["number"],
                condition: "seconds = \(FeedbackCount.hourSeconds)"),
            before: now.addingTimeInterval(-FeedbackLimits.hourlySeconds - day))
        try await remove(
            Sweep(table: "feedback_interval", time: "start", key: ["number"]),
            before: now.addingTimeInterval(-retention.feedbackSeconds - day))
    }

    /// Rights stay as long as they are live; what nothing can refer to any more goes.
    private func pruneOrders(before limit: Foundation.Date, now: Foundation.Date) async throws {
        try await remove(Sweep(table: "scep_challenge", time: "expires", key: ["digest"]), before: limit)
        try await remove(Sweep(table: "pending_attestation", time: "expires", key: ["enrollment"]), before: now)
        try await remove(Sweep(table: "acme_order", time: "expires", key: ["id"]), before: limit)
        try await remove(Sweep(table: "identity_certificate", time: "not_after", key: ["fingerprint"]), before: now)
        try await remove(
            Sweep(
                table: "acme_grant", time: "created", key: ["digest"], range: "state <> 'live'",
                condition: "NOT EXISTS (SELECT 1 FROM acme_order o WHERE o.grant_digest = acme_grant.digest)"),
            before: limit)
        try await remove(
            Sweep(
                table: "acme_account", time: "created", key: ["id"],
                condition: """
                    NOT EXISTS (SELECT 1 FROM acme_order o WHERE o.account = acme_account.id)
                    AND NOT EXISTS (SELECT 1 FROM identity_certificate c WHERE c.account = acme_account.id)
                    AND NOT EXISTS (SELECT 1 FROM acme_grant g WHERE g.account = acme_account.id)
                    """), before: limit)
    }

    /// Removes each device's oldest finished commands beyond the number that is kept.
    private func pruneFinishedCommands(keeping: Int) async throws {
        var place: String? = ""
        while let after = place {
            let (crowded, next) = try await readAside { db in try Self.crowded(db, after: after, keeping: keeping) }
            for device in crowded {
                while try await write({ db in try Self.removeFinished(of: device, keeping: keeping, db) }) {}
            }
            place = next
        }
    }

    /// Devices with too many finished commands, among those of about as many commands as are looked at in one part.
    private static func crowded(
        _ db: Database, after device: String, keeping: Int
    ) throws -> (devices: [String], next: String?) {
        let last = try String.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT enrollment FROM command WHERE finished IS NOT NULL AND enrollment > ?
                    ORDER BY enrollment LIMIT 1 OFFSET ?
                    """), arguments: [device, Sweep.looked])
        let devices = try String.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT enrollment FROM command WHERE finished IS NOT NULL AND enrollment > ?
                    \(last == nil ? "" : "AND enrollment <= ?") GROUP BY enrollment HAVING COUNT(*) > ?
                    """),
            arguments: StatementArguments([device] + (last.map { [$0] } ?? [])) + [keeping])
        return (devices, last)
    }

    /// Whether more may be left.
    private static func removeFinished(of device: String, keeping: Int, _ db: Database) throws -> Bool {
        try db.executeCached(
            sql: """
                DELETE FROM command WHERE id IN (SELECT id FROM command
                    WHERE enrollment = ? AND finished IS NOT NULL ORDER BY id DESC LIMIT ? OFFSET ?)
                """,
            arguments: [device, Sweep.removed, keeping])
        return db.changesCount == Sweep.removed
    }

    /// A snapshot goes with its last holder; here go the sets of groups whose manifest was superseded long ago, and those
    /// beyond the number that is kept.
    private func pruneSnapshots(_ retention: Retention, now: Foundation.Date) async throws {
        let limit = now.addingTimeInterval(-retention.supersededSnapshotSeconds)
        let holders = Sweep(
            table: "snapshot_holder", time: "superseded", key: ["token", "groups"], range: "superseded IS NOT NULL")
        try await remove(holders, before: limit)
        while true {
            let keys = try await readAside { db in
                try Row.fetchAll(
                    db,
                    sql: """
                        SELECT token, groups FROM snapshot_holder WHERE superseded IS NOT NULL
                        ORDER BY superseded DESC, token DESC, groups DESC LIMIT ? OFFSET ?
                        """,
                    arguments: [Sweep.looked, retention.supersededSnapshots]
                ).map { [$0["token"], $0["groups"]] as [DatabaseValue] }
            }
            guard !keys.isEmpty else { return }
            // All of them are superseded, however recently.
            try await remove(keys, of: holders, before: .max)
            if keys.count < Sweep.looked { return }
        }
    }
}

extension Schema {
    /// What is looked for when things are forgotten has an index, and a snapshot goes with its last holder.
    static func sweeping(_ db: Database) throws {
        let unheld = """
            NOT EXISTS (SELECT 1 FROM snapshot_holder h WHERE h.token = snapshot.token)
            AND NOT EXISTS (SELECT 1 FROM snapshot_device d WHERE d.token = snapshot.token)
            """
        try db.execute(
            sql: """
                CREATE INDEX acme_account_by_time ON acme_account(created, id);
                CREATE INDEX acme_grant_ended ON acme_grant(created) WHERE state <> 'live';
                CREATE INDEX acme_order_ended ON acme_order(expires, id);
                DROP INDEX acme_order_by_expiry;
                CREATE INDEX certificate_ended ON certificate(not_after, fingerprint);
                DROP INDEX certificate_by_end;
                CREATE INDEX identity_certificate_ended ON identity_certificate(not_after, fingerprint);
                DROP INDEX identity_certificate_by_end;
                CREATE INDEX request_ended ON request(begun, digest);
                DROP INDEX request_by_time;
                CREATE INDEX session_by_end ON session(expires, digest);
                CREATE INDEX enrollment_code_by_end ON enrollment_code(expires);
                CREATE INDEX pending_attestation_by_end ON pending_attestation(expires);
                CREATE INDEX webhook_secret_by_end ON webhook_secret(ends) WHERE ends IS NOT NULL;
                CREATE INDEX snapshot_holder_superseded ON snapshot_holder(superseded) WHERE superseded IS NOT NULL;
                CREATE INDEX command_done ON command(enrollment, id) WHERE finished IS NOT NULL;
                CREATE INDEX package_unused ON package(unused_since) WHERE unused_since IS NOT NULL;
                DELETE FROM snapshot_device WHERE token IS NOT
                    (SELECT items_token FROM enrollment WHERE key = snapshot_device.enrollment);
                DELETE FROM snapshot WHERE \(unheld);
                DELETE FROM snapshot_file WHERE token NOT IN (SELECT token FROM snapshot);
                CREATE TRIGGER own_snapshot_superseded AFTER UPDATE OF items_token ON enrollment
                WHEN new.items_token IS NOT old.items_token BEGIN
                    DELETE FROM snapshot_device WHERE enrollment = new.key AND token IS NOT new.items_token;
                END;
                CREATE TRIGGER snapshot_left_by_device AFTER DELETE ON snapshot_device BEGIN
                    DELETE FROM snapshot WHERE token = old.token AND \(unheld);
                END;
                CREATE TRIGGER snapshot_replaced_by_device AFTER UPDATE OF token ON snapshot_device
                WHEN new.token <> old.token BEGIN
                    DELETE FROM snapshot WHERE token = old.token AND \(unheld);
                END;
                CREATE TRIGGER snapshot_left_by_groups AFTER DELETE ON snapshot_holder BEGIN
                    DELETE FROM snapshot WHERE token = old.token AND \(unheld);
                END;
                """)
    }
}
