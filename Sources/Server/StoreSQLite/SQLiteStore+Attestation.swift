package import Foundation
import GRDB
import InputBounds
package import Management

extension SQLiteStore {
    package func beginAttestation(_ pending: PendingAttestation) async throws -> AttestationKeyRefusal? {
        try await write { db in
            if let refusal = try Self.refusal(of: pending.endorsementKey, for: pending.device, db) { return refusal }
            try db.execute(
                sql: """
                    INSERT OR REPLACE INTO pending_attestation
                        (enrollment, key_digest, vouched, attestation_key, secret_digest, expires)
                    VALUES (?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    pending.device, pending.endorsementKey, pending.isVouchedFor, pending.attestationKey,
                    pending.secretDigest, pending.expires.seconds,
                ])
            return nil
        }
    }

    package func finishAttestation(
        of device: String, secretDigest: Data, now: Foundation.Date
    ) async throws -> Outcome<PendingAttestation, AttestationKeyRefusal> {
        try await write { db in
            let pending = try Row.fetchOne(
                db, sql: "SELECT * FROM pending_attestation WHERE enrollment = ?", arguments: [device]
            ).map(Self.pendingAttestation)
            try db.execute(sql: "DELETE FROM pending_attestation WHERE enrollment = ?", arguments: [device])
            guard let pending, now < pending.expires else { return .refused(.noChallenge) }
            guard pending.secretDigest == secretDigest else { return .refused(.wrongSecret) }
            if let refusal = try Self.refusal(of: pending.endorsementKey, for: device, db) {
                return .refused(refusal)
            }
            try db.execute(
                sql: """
                    INSERT INTO chip (enrollment, key_digest, vouched, since) VALUES (?, ?, ?, ?)
                    ON CONFLICT (enrollment) DO UPDATE SET vouched = excluded.vouched
                    """,
                arguments: [device, pending.endorsementKey, pending.isVouchedFor, now.seconds])
            let chip = pending.endorsementKey.map { String(format: "%02x", $0) }.joined()
            try Self.audit(
                .attestDevice, device, ["chip": .string(chip), "vouched": .boolean(pending.isVouchedFor)],
                by: .device(device), db, now: now)
            return .accepted(pending)
        }
    }

    /// A device has one chip, and a chip one device.
    static func refusal(
        of chip: Data, for device: String, _ db: Database
    ) throws -> AttestationKeyRefusal? {
        let own = try Data.fetchOne(db, sql: "SELECT key_digest FROM chip WHERE enrollment = ?", arguments: [device])
        if let own { return own == chip ? nil : .otherChip }
        let isTaken = try Bool.fetchOne(
            db, sql: "SELECT EXISTS (SELECT 1 FROM chip WHERE key_digest = ?)", arguments: [chip])
        return isTaken == true ? .chipOfAnotherDevice : nil
    }

    private static func pendingAttestation(_ row: Row) -> PendingAttestation {
        PendingAttestation(
            device: row["enrollment"], endorsementKey: row["key_digest"], isVouchedFor: row["vouched"],
            attestationKey: row["attestation_key"], secretDigest: row["secret_digest"], expires: row.date("expires"))
    }
}
