package import Foundation
import GRDB
package import Management

extension SQLiteStore {
    /// Rows that go at once; those who wait for the writer do not wait longer.
    private static let part = 2_000

    package func prune(_ retention: Retention, now: Foundation.Date) async throws {
        try await remove(
            "DELETE FROM session WHERE rowid IN (SELECT rowid FROM session WHERE expires <= :limit LIMIT :part)",
            before: now)
        try await remove(
            "DELETE FROM command WHERE id IN (SELECT id FROM command WHERE finished <= :limit LIMIT :part)",
            before: now.addingTimeInterval(-retention.finishedCommandSeconds))
        try await pruneFinishedCommands(keeping: retention.finishedCommandsPerDevice)
        try await remove(
            """
            DELETE FROM enrollment_code WHERE number IN (SELECT number FROM enrollment_code
                WHERE expires <= :limit LIMIT :part)
            """, before: now.addingTimeInterval(-retention.endedCodeSeconds))
        try await remove(
            """
            DELETE FROM invitation WHERE account IN (SELECT account FROM invitation
                WHERE expires <= :limit LIMIT :part)
            """, before: now.addingTimeInterval(-retention.endedCodeSeconds))
        try await remove(
            """
            DELETE FROM certificate WHERE rowid IN (SELECT rowid FROM certificate WHERE not_after <= :limit
                AND NOT EXISTS (SELECT 1 FROM enrollment e WHERE e.key = certificate.enrollment
                    AND certificate.fingerprint IN (e.fingerprint, e.previous_fingerprint)) LIMIT :part)
            """, before: now)
        try await remove(
            """
            DELETE FROM api_token WHERE number IN (SELECT number FROM api_token
                WHERE MIN(expires, COALESCE(revoked, expires)) <= :limit LIMIT :part)
            """, before: now.addingTimeInterval(-retention.endedTokenSeconds))
        try await remove(
            """
            DELETE FROM webhook_delivery WHERE number IN (SELECT number FROM webhook_delivery
                WHERE created <= :limit AND state <> 'waiting' LIMIT :part)
            """, before: now.addingTimeInterval(-retention.webhookDeliverySeconds))
        try await remove(
            """
            DELETE FROM webhook_secret WHERE (webhook, number) IN (SELECT webhook, number FROM webhook_secret
                WHERE ends <= :limit LIMIT :part)
            """, before: now)
        try await remove(
            "DELETE FROM job WHERE number IN (SELECT number FROM job WHERE ended <= :limit LIMIT :part)",
            before: now.addingTimeInterval(-retention.endedJobSeconds))
        try await remove(
            """
            DELETE FROM device_history WHERE number IN (SELECT number FROM device_history
                WHERE time <= :limit LIMIT :part)
            """, before: now.addingTimeInterval(-retention.deviceHistorySeconds))
        try await pruneSnapshots(retention, now: now)
        try await pruneAdoption(before: now.addingTimeInterval(-retention.adoptionSeconds))
        if let seconds = retention.auditSeconds { try await pruneAudit(before: now - seconds, now: now) }
        try await pruneRequests(now: now)
        try await pruneOrders(before: now.addingTimeInterval(-retention.endedOrderSeconds), now: now)
        try await remove(
            """
            DELETE FROM file WHERE rowid IN (SELECT rowid FROM file
                WHERE NOT EXISTS (SELECT 1 FROM configuration_version v WHERE v.sha256 = file.sha256)
                AND NOT EXISTS (SELECT 1 FROM snapshot_file s WHERE s.sha256 = file.sha256)
                AND :limit > 0 LIMIT :part)
            """, before: now)
    }

    /// Rights stay as long as they are live; what nothing can refer to any more goes.
    private func pruneOrders(before limit: Foundation.Date, now: Foundation.Date) async throws {
        try await remove(
            """
            DELETE FROM scep_challenge WHERE digest IN (SELECT digest FROM scep_challenge
                WHERE expires <= :limit LIMIT :part)
            """, before: limit)
        try await remove(
            """
            DELETE FROM pending_attestation WHERE enrollment IN (SELECT enrollment FROM pending_attestation
                WHERE expires <= :limit LIMIT :part)
            """, before: now)
        try await remove(
            "DELETE FROM acme_order WHERE id IN (SELECT id FROM acme_order WHERE expires <= :limit LIMIT :part)",
            before: limit)
        try await remove(
            """
            DELETE FROM identity_certificate WHERE fingerprint IN (SELECT fingerprint FROM identity_certificate
                WHERE not_after <= :limit LIMIT :part)
            """, before: now)
        try await remove(
            """
            DELETE FROM acme_grant WHERE digest IN (SELECT digest FROM acme_grant
                WHERE state <> 'live' AND created <= :limit
                AND NOT EXISTS (SELECT 1 FROM acme_order o WHERE o.grant_digest = acme_grant.digest) LIMIT :part)
            """, before: limit)
        try await remove(
            """
            DELETE FROM acme_account WHERE id IN (SELECT id FROM acme_account WHERE created <= :limit
                AND NOT EXISTS (SELECT 1 FROM acme_order o WHERE o.account = acme_account.id)
                AND NOT EXISTS (SELECT 1 FROM identity_certificate c WHERE c.account = acme_account.id)
                AND NOT EXISTS (SELECT 1 FROM acme_grant g WHERE g.account = acme_account.id) LIMIT :part)
            """, before: limit)
    }

    private func pruneFinishedCommands(keeping: Int) async throws {
        let crowded = try await read { db in
            try String.fetchAll(
                db,
                sql: """
                    SELECT enrollment FROM command WHERE finished IS NOT NULL
                    GROUP BY enrollment HAVING COUNT(*) > ?
                    """,
                arguments: [keeping])
        }
        for device in crowded {
            try await write { db in
                try db.execute(
                    sql: """
                        DELETE FROM command WHERE id IN (SELECT id FROM command
                            WHERE enrollment = ? AND finished IS NOT NULL ORDER BY id DESC LIMIT -1 OFFSET ?)
                        """,
                    arguments: [device, keeping])
            }
        }
    }

    private func pruneSnapshots(_ retention: Retention, now: Foundation.Date) async throws {
        let limit = now.addingTimeInterval(-retention.supersededSnapshotSeconds).seconds
        try await write { db in
            try db.execute(sql: "DELETE FROM snapshot_holder WHERE superseded <= ?", arguments: [limit])
            try db.execute(
                sql: """
                    DELETE FROM snapshot_holder WHERE (token, groups) IN (SELECT token, groups FROM snapshot_holder
                        WHERE superseded IS NOT NULL ORDER BY superseded DESC LIMIT -1 OFFSET ?)
                    """,
                arguments: [retention.supersededSnapshots])
            // A device has the snapshot of its own as long as it is what it was last given.
            try db.execute(
                sql: """
                    DELETE FROM snapshot_device WHERE token IS NOT
                        (SELECT items_token FROM enrollment WHERE key = snapshot_device.enrollment)
                    """)
            try db.execute(
                sql: """
                    DELETE FROM snapshot
                    WHERE NOT EXISTS (SELECT 1 FROM snapshot_holder h WHERE h.token = snapshot.token)
                    AND NOT EXISTS (SELECT 1 FROM snapshot_device d WHERE d.token = snapshot.token)
                    """)
        }
    }

    /// Removes in parts until nothing is left to remove.
    func remove(_ sql: String, before limit: Foundation.Date) async throws {
        while true {
            let removed = try await write { db in
                try db.execute(sql: sql, arguments: ["limit": limit.seconds, "part": Self.part])
                return db.changesCount
            }
            if removed < Self.part { return }
        }
    }
}
