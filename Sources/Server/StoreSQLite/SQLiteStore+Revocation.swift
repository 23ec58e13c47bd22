import Foundation
import GRDB
import InputBounds
import Management

/// Which devices a change may have taken secrets from: those that hold certificates for them.
enum LossCandidates {
    /// The devices of a group, of these secrets.
    case group(String, secrets: [String])
    /// One device, of any secret.
    case device(String)

    fileprivate var isOfMembership: Bool {
        if case .device = self { true } else { false }
    }
}

extension SQLiteStore {
    /// Revokes what this server's authority issued to devices for secrets that they do not have any more, in the
    /// transaction of the change; answers the groups whose manifests have to be looked at anew.
    ///
    /// Rights that were handed out end with the certificates. Cost follows the devices that a change concerns.
    static func revokeLost(
        _ candidates: LossCandidates, by actor: AuditActor, _ db: Database, now: Foundation.Date
    ) throws -> [String] {
        var standings: [[String]: [String: SecretStanding]] = [:]
        var remembered: Set<String> = []
        for (device, secret) in try holders(candidates, db, now: now) {
            let groups = try groups(of: device, db)
            let known = try standings[groups] ?? assignmentSnapshot(groups, db).standings
            standings[groups] = known
            let standing = known[secret] ?? .absent
            guard standing != .given else { continue }
            try revoke(secret, of: device, reason: 9, by: actor, db, now: now)
            // What was unassigned comes back as another assignment, which tells by itself. But where the assignment stays,
            // the very same may come to count again before the device hears that it did not.
            guard try standing == .covered || candidates.isOfMembership && isAssigned(secret, db) else { continue }
            try rememberLoss(of: secret, by: device, db, now: now)
            remembered.insert(secret)
        }
        return try remembered.flatMap { try Self.groups(withSecret: $0, db) }
    }

    /// Ends what a device was given for one secret.
    private static func revoke(
        _ secret: String, of device: String, reason: Int, by actor: AuditActor, _ db: Database, now: Foundation.Date
    ) throws {
        let grants = "UPDATE acme_grant SET state = 'withdrawn' WHERE device = ? AND secret = ?"
        try db.executeCached(sql: grants, arguments: [device, secret])
        let challenges = "DELETE FROM scep_challenge WHERE device = ? AND secret = ?"
        try db.executeCached(sql: challenges, arguments: [device, secret])
        try revoke(
            "secret = :secret AND device = :device", ["secret": secret, "device": device], reason: reason, by: actor,
            db, now: now)
    }

    /// Revokes those of these certificates that would still be believed; each is in the audit log.
    @discardableResult
    static func revoke(
        _ condition: String, _ arguments: StatementArguments, reason: Int, by actor: AuditActor, _ db: Database,
        now: Foundation.Date
    ) throws -> Int {
        let statement = try db.cachedStatement(
            sql: """
                UPDATE identity_certificate SET revoked = :now, reason = :reason
                WHERE \(condition) AND not_after > :now AND revoked IS NULL RETURNING secret, device, serial
                """)
        let revoked = try Row.fetchAll(
            statement, arguments: arguments + ["now": now.seconds, "reason": reason] as StatementArguments)
        guard !revoked.isEmpty else { return 0 }
        var tail = try AuditTail(db)
        for row in revoked {
            try tail.append(
                .revokeIdentity, row["secret"],
                [
                    "device": .string(row["device"]), "serial": .string(row["serial"]),
                    "reason": .integer(Int64(reason)),
                ], by: actor, db, now: now)
        }
        return revoked.count
    }

    private static func holders(
        _ candidates: LossCandidates, _ db: Database, now: Foundation.Date
    ) throws -> [(device: String, secret: String)] {
        let rows: [Row]
        switch candidates {
        case .device(let device):
            rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT DISTINCT device, secret FROM identity_certificate
                    WHERE device = ? AND not_after > ? AND revoked IS NULL
                    """,
                arguments: [device, now.seconds])
        case .group(let group, let secrets):
            guard !secrets.isEmpty else { return [] }
            // The devices of the group first: those that hold the secret elsewhere are not looked at.
            rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT DISTINCT c.device, c.secret FROM enrollment_group g CROSS JOIN json_each(?) s
                    CROSS JOIN identity_certificate c ON c.secret = s.value AND c.device = g.enrollment
                    WHERE g.group_name = ? AND c.not_after > ? AND c.revoked IS NULL
                    """,
                arguments: [try text(of: secrets), group, now.seconds])
        }
        return rows.map { ($0["device"], $0["secret"]) }
    }

    private static func isAssigned(_ secret: String, _ db: Database) throws -> Bool {
        let statement = try db.cachedStatement(
            sql: "SELECT EXISTS (SELECT 1 FROM secret_assignment WHERE secret = ?)")
        return try Bool.fetchOne(statement, arguments: [secret]) == true
    }

    /// Counts what a device lost: when it has the secret again it is told of another asset than before, and asks anew.
    private static func rememberLoss(
        of secret: String, by device: String, _ db: Database, now: Foundation.Date
    ) throws {
        try db.executeCached(
            sql: """
                INSERT INTO identity_loss (device, secret, losses) VALUES (?, ?, 1)
                ON CONFLICT (device, secret) DO UPDATE SET losses = losses + 1
                """, arguments: [device, secret])
        try db.executeCached(
            sql: "UPDATE enrollment SET values_changed = ? WHERE key = ?", arguments: [now.seconds, device])
    }

    /// How often a device lost these secrets while it stayed enrolled; `names` is a list in JSON.
    static func losses(of device: String, amongNames names: String, _ db: Database) throws -> [String: Int] {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT secret, losses FROM identity_loss
                WHERE device = ? AND secret IN (SELECT value FROM json_each(?))
                """,
            arguments: [device, names])
        return Dictionary(uniqueKeysWithValues: rows.map { ($0["secret"], $0["losses"]) })
    }
}
