import CertificateAuthority
package import Foundation
import GRDB
package import Management

extension SQLiteStore {
    package func addSCEPChallenge(_ challenge: SCEPChallenge) async throws {
        let profile = try JSONEncoder().encode(challenge.profile)
        try await write { db in
            let holder = challenge.holder
            // Those for older versions are of no use any more; of those for this one the oldest make room.
            try db.execute(
                sql: """
                    DELETE FROM scep_challenge
                    WHERE secret = :secret AND device = :device AND certificate IS NULL AND (version <> :version
                        OR digest NOT IN (SELECT digest FROM scep_challenge WHERE secret = :secret AND device = :device
                            AND certificate IS NULL AND version = :version ORDER BY created DESC LIMIT :room))
                    """,
                arguments: [
                    "secret": holder.secret, "device": holder.device, "version": holder.version,
                    "room": SCEPChallenge.unused - 1,
                ])
            try db.execute(
                sql: """
                    INSERT INTO scep_challenge (digest, secret, version, device, profile, created, expires)
                    VALUES (?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    challenge.digest, holder.secret, holder.version, holder.device, profile, challenge.created.seconds,
                    challenge.expires.seconds,
                ])
        }
    }

    package func scepChallenge(digest: Data) async throws -> SCEPChallenge? {
        try await read { db in try Self.scepChallenge(digest, db) }
    }

    package func issueIdentity(
        _ certificate: IssuedIdentity, challenge digest: Data, transactionID: String, publicKeyDigest: Data,
        now: Foundation.Date
    ) async throws -> Outcome<IdentityCertificate, ChallengeRefusal> {
        try await write { db in
            guard let challenge = try Self.scepChallenge(digest, db) else { return .refused(.unknown) }
            if let refusal = challenge.refusal(ofKey: publicKeyDigest, now: now) { return .refused(refusal) }
            let places = try Self.places(of: challenge.holder, db)
            guard !places.isEmpty else { return .refused(.withdrawn) }
            if let use = challenge.use {
                guard let before = try Self.identity(serial: use.certificate, db) else { return .refused(.used) }
                return .accepted(before)
            }
            let issued = IdentityCertificate(
                issued: certificate, holder: challenge.holder, places: places, account: nil)
            try Self.insert(issued, db)
            try db.execute(
                sql: """
                    UPDATE scep_challenge SET transaction_id = ?, key_digest = ?, certificate = ? WHERE digest = ?
                    """,
                arguments: [transactionID, publicKeyDigest, certificate.serial, digest])
            return .accepted(issued)
        }
    }

    private static func scepChallenge(_ digest: Data, _ db: Database) throws -> SCEPChallenge? {
        try Row.fetchOne(db, sql: "SELECT * FROM scep_challenge WHERE digest = ?", arguments: [digest]).map { row in
            let use: SCEPChallenge.Use? = (row["certificate"] as String?).map { certificate in
                SCEPChallenge.Use(
                    transactionID: row["transaction_id"], publicKeyDigest: row["key_digest"], certificate: certificate)
            }
            return SCEPChallenge(
                digest: digest,
                holder: IdentityHolder(secret: row["secret"], version: row["version"], device: row["device"]),
                profile: try JSONDecoder().decode(IdentityProfile.self, from: row["profile"]),
                created: row.date("created"), expires: row.date("expires"), use: use)
        }
    }
}
