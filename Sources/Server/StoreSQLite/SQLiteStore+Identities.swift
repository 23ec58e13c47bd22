package import ACME
package import Foundation
import GRDB
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
        try await read { db in
            try Row.fetchOne(db, sql: "SELECT * FROM identity_certificate WHERE serial = ?", arguments: [serial])
                .map(Self.identity)
        }
    }

    package func revokeIdentity(
        fingerprint: Data, reason: Int, now: Foundation.Date
    ) async throws -> ACMEProblem? {
        try await write { db in
            try db.execute(
                sql: """
                    UPDATE identity_certificate SET revoked = ?, reason = ? WHERE fingerprint = ? AND revoked IS NULL
                    """,
                arguments: [now.seconds, reason, fingerprint])
            return db.changesCount == 1
                ? nil : ACMEProblem(.alreadyRevoked, "The certificate is revoked already, or was never issued.")
        }
    }

    package func revokedIdentities(now: Foundation.Date) async throws -> [IdentityCertificate] {
        try await read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT * FROM identity_certificate WHERE revoked IS NOT NULL AND not_after > ?
                    ORDER BY revoked, serial
                    """,
                arguments: [now.seconds]
            ).map(Self.identity)
        }
    }

    static func insert(_ certificate: IdentityCertificate, _ db: Database) throws {
        try db.execute(
            sql: """
                INSERT INTO identity_certificate (fingerprint, serial, der, account, issued, not_after)
                VALUES (?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                certificate.fingerprint, certificate.serial, certificate.der, certificate.account,
                certificate.issued.seconds, certificate.notAfter.seconds,
            ])
    }

    private static func identity(_ row: Row) -> IdentityCertificate {
        IdentityCertificate(
            serial: row["serial"], fingerprint: row["fingerprint"], der: row["der"], account: row["account"],
            issued: row.date("issued"), notAfter: row.date("not_after"), revoked: row.optionalDate("revoked"),
            reason: row["reason"])
    }
}
