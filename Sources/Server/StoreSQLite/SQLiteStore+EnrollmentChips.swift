package import Foundation
import GRDB
import InputBounds
package import Management

extension SQLiteStore {
    package func beginAttestation(
        _ pending: PendingAttestation, underCode digest: Data, now: Foundation.Date
    ) async throws -> AttestationKeyRefusal? {
        try await write { db in
            guard let code = try Self.goodCode(digest, db), code.state == .redeemed || now < code.expires else {
                return .badCode
            }
            if let device = code.renews, let refusal = try Self.refusal(of: pending.endorsementKey, for: device, db) {
                return refusal
            }
            try db.execute(
                sql: """
                    INSERT OR REPLACE INTO code_chip
                        (code, name, key_digest, vouched, attestation_key, secret_digest, expires)
                    VALUES (?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    code.id, pending.device, pending.endorsementKey, pending.isVouchedFor, pending.attestationKey,
                    pending.secretDigest, pending.expires.seconds,
                ])
            return nil
        }
    }

    package func finishAttestation(
        underCode digest: Data, secretDigest: Data, now: Foundation.Date
    ) async throws -> Outcome<PendingAttestation, AttestationKeyRefusal> {
        try await write { db in
            guard let code = try Self.goodCode(digest, db) else { return .refused(.badCode) }
            let row = try Row.fetchOne(
                db, sql: "SELECT * FROM code_chip WHERE code = ? AND proven = 0", arguments: [code.id])
            guard let row, now < row.date("expires") else { return .refused(.noChallenge) }
            guard row["secret_digest"] == secretDigest else {
                try db.execute(sql: "DELETE FROM code_chip WHERE code = ?", arguments: [code.id])
                return .refused(.wrongSecret)
            }
            try db.execute(sql: "UPDATE code_chip SET proven = 1 WHERE code = ?", arguments: [code.id])
            return .accepted(
                PendingAttestation(
                    device: row["name"], endorsementKey: row["key_digest"], isVouchedFor: row["vouched"],
                    attestationKey: row["attestation_key"], secretDigest: secretDigest, expires: row.date("expires")))
        }
    }

    /// The enrolled device to which the chip belongs that was proven under a code.
    static func owner(ofChipUnder code: String, _ db: Database) throws -> String? {
        try String.fetchOne(
            db,
            sql: """
                SELECT chip.enrollment FROM code_chip JOIN chip USING (key_digest)
                WHERE code_chip.code = ? AND code_chip.proven = 1
                """,
            arguments: [code])
    }

    /// Whether this chip was proven under a code.
    static func isProven(_ chip: Data, under code: String, _ db: Database) throws -> Bool {
        try Bool.fetchOne(
            db,
            sql: "SELECT EXISTS (SELECT 1 FROM code_chip WHERE code = ? AND key_digest = ? AND proven = 1)",
            arguments: [code, chip]) == true
    }

    /// From now on the chip that was proven under the code is the device's own.
    static func keepChip(under code: String, of device: String, _ db: Database, now: Foundation.Date) throws {
        let row = try Row.fetchOne(
            db, sql: "SELECT key_digest, vouched FROM code_chip WHERE code = ? AND proven = 1", arguments: [code])
        guard let row else { return }
        try db.execute(
            sql: "INSERT OR REPLACE INTO chip (enrollment, key_digest, vouched, since) VALUES (?, ?, ?, ?)",
            arguments: [device, row["key_digest"] as Data, row["vouched"] as Bool, now.seconds])
        try db.execute(sql: "DELETE FROM code_chip WHERE code = ?", arguments: [code])
        let chip = (row["key_digest"] as Data).map { String(format: "%02x", $0) }.joined()
        try audit(
            .attestDevice, device, ["chip": .string(chip), "vouched": .boolean(row["vouched"])], by: .device(device),
            db, now: now)
    }
}
