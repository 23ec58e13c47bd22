package import ACME
package import Foundation
import GRDB
import InputBounds
package import Management

extension SQLiteStore {
    package func identityCertificate(fingerprint: Data) async throws -> IdentityCertificate? {
        try await read { db in
            try Row.fetchOne(
                db, sql: "SELECT * FROM identity_certificate WHERE fingerprint = ?", arguments: [fingerprint]
            ).map(Self.identity)
        }
    }

    package func identityCertificate(serial: String) async throws -> IdentityCertificate? {
        try await read { db in try Self.identity(serial: serial, db) }
    }

    static func identity(serial: String, _ db: Database) throws -> IdentityCertificate? {
        try Row.fetchOne(db, sql: "SELECT * FROM identity_certificate WHERE serial = ?", arguments: [serial])
            .map(identity)
    }

    package func revokeIdentity(
        fingerprint: Data, reason: Int, now: Foundation.Date
    ) async throws -> ACMEProblem? {
        try await write { db in
            let device = try String.fetchOne(
                db, sql: "SELECT device FROM identity_certificate WHERE fingerprint = ?", arguments: [fingerprint])
            let revoked = try Self.revoke(
                "fingerprint = :fingerprint", ["fingerprint": fingerprint], reason: reason, by: .device(device ?? ""),
                db, now: now)
            return revoked == 1
                ? nil : ACMEProblem(.alreadyRevoked, "The certificate is revoked already, or was never issued.")
        }
    }

    package func revokedIdentities(now: Foundation.Date) async throws -> [RevokedIdentity] {
        try await read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT serial, revoked, reason FROM identity_certificate WHERE revoked IS NOT NULL AND not_after > ?
                    ORDER BY revoked, serial
                    """,
                arguments: [now.seconds]
            ).map { RevokedIdentity(serial: $0["serial"], revoked: $0.date("revoked"), reason: $0["reason"]) }
        }
    }

    /// Writes a certificate down, and into the audit log, in the transaction that uses the right to it.
    static func insert(_ certificate: IdentityCertificate, _ db: Database) throws {
        let (issued, holder) = (certificate.issued, certificate.holder)
        try db.execute(
            sql: """
                INSERT INTO identity_certificate
                    (fingerprint, serial, der, secret, version, device, places, account, issued, not_after)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                issued.fingerprint, issued.serial, issued.der, holder.secret, holder.version, holder.device,
                certificate.places.joined(separator: "\n"), certificate.account, issued.issued.seconds,
                issued.notAfter.seconds,
            ])
        try audit(
            .issueIdentity, holder.secret,
            [
                "version": .integer(Int64(holder.version)), "serial": .string(issued.serial),
                "places": .array(certificate.places.map { .string($0) }), "expires": .moment(issued.notAfter),
            ], by: .device(holder.device), db, now: issued.issued)
    }

    /// Which apps of the holder's device find the secret now; none when the device may not have it any more.
    static func places(of holder: IdentityHolder, _ db: Database) throws -> [String] {
        guard let device = try device(holder.device, db) else { return [] }
        return try places(of: holder.secret, holder.version, on: device, db)
    }

    /// Ends what a device was given, when its enrollment ends.
    static func endIdentities(
        of device: String, reason: Int, by actor: AuditActor, _ db: Database, now: Foundation.Date
    ) throws {
        try db.execute(sql: "UPDATE acme_grant SET state = 'withdrawn' WHERE device = ?", arguments: [device])
        try db.execute(sql: "DELETE FROM scep_challenge WHERE device = ?", arguments: [device])
        for table in ["chip", "pending_attestation"] {
            try db.execute(sql: "DELETE FROM \(table) WHERE enrollment = ?", arguments: [device])
        }
        try db.execute(sql: "DELETE FROM identity_loss WHERE device = ?", arguments: [device])
        try revoke("device = :device", ["device": device], reason: reason, by: actor, db, now: now)
    }

    private static func identity(_ row: Row) -> IdentityCertificate {
        let places: String = row["places"]
        return IdentityCertificate(
            issued: IssuedIdentity(
                serial: row["serial"], fingerprint: row["fingerprint"], der: row["der"], issued: row.date("issued"),
                notAfter: row.date("not_after")),
            holder: IdentityHolder(secret: row["secret"], version: row["version"], device: row["device"]),
            places: places.split(separator: "\n").map(String.init), account: row["account"],
            revoked: row.optionalDate("revoked"), reason: row["reason"])
    }
}
