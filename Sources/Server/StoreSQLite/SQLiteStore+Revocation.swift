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
}

extension SQLiteStore {
    /// Revokes what this server's authority issued to devices for secrets that they do not have any more, in the
    /// transaction of the change; answers the groups whose manifests have to be looked at anew.
    ///
    /// Rights that were handed out end with the certificates. Cost follows the devices that a change concerns.
    static func revokeLost(
        _ candidates: LossCandidates, by actor: AuditActor, _ db: Database, now: Foundation.Date
    ) throws -> [String] {
        var standings: [String: [String: SecretStanding]] = [:]
        var lost: [String: Lost] = [:]
        for holding in try holdings(candidates, db, now: now) {
            let known = try standings[holding.groups] ?? Self.standings(in: holding.groups, db)
            standings[holding.groups] = known
            switch known[holding.secret] ?? .absent {
            case .given: break
            case .covered: lost[holding.secret, default: Lost()].covered.append(holding.device)
            case .absent: lost[holding.secret, default: Lost()].absent.append(holding.device)
            }
        }
        var remembered: [String] = []
        for (secret, devices) in lost.sorted(by: { $0.key < $1.key }) {
            try revoke(secret, of: devices.covered + devices.absent, reason: 9, by: actor, db, now: now)
            // What was unassigned comes back as another assignment, which tells by itself. But while it is assigned to
            // anybody, the device may have heard of that very assignment, and it may come to count for it again before the
            // device hears that it did not.
            let told = try isAssigned(secret, db) ? devices.covered + devices.absent : devices.covered
            guard !told.isEmpty else { continue }
            try rememberLoss(of: secret, by: told, db, now: now)
            remembered.append(secret)
        }
        return try remembered.flatMap { try Self.groups(withSecret: $0, db) }
    }

    /// The devices that lost one secret.
    private struct Lost {
        var covered: [String] = []
        var absent: [String] = []
    }

    private static func standings(in groups: String, _ db: Database) throws -> [String: SecretStanding] {
        let names = try JSONDecoder().decode([String].self, from: Data(groups.utf8))
        return try assignmentSnapshot(names.sorted(), db).standings
    }

    /// Ends what devices were given for one secret: a statement for all of them, so that a large group keeps other writers
    /// waiting no longer than it must.
    private static func revoke(
        _ secret: String, of devices: [String], reason: Int, by actor: AuditActor, _ db: Database,
        now: Foundation.Date
    ) throws {
        let names = try text(of: devices)
        let among = "secret = :secret AND device IN (SELECT value FROM json_each(:devices))"
        let arguments: StatementArguments = ["secret": secret, "devices": names]
        try db.execute(sql: "UPDATE acme_grant SET state = 'withdrawn' WHERE \(among)", arguments: arguments)
        try db.execute(sql: "DELETE FROM scep_challenge WHERE \(among)", arguments: arguments)
        try revoke(among, arguments, reason: reason, by: actor, db, now: now)
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

    /// Certificates that still count: of which device, for which secret, and the device's groups as a list in JSON.
    private static func holdings(
        _ candidates: LossCandidates, _ db: Database, now: Foundation.Date
    ) throws -> [(device: String, secret: String, groups: String)] {
        let columns = """
            SELECT DISTINCT c.device, c.secret,
                (SELECT json_group_array(group_name) FROM enrollment_group WHERE enrollment = c.device) AS group_names
            """
        let rows: [Row]
        switch candidates {
        case .device(let device):
            rows = try Row.fetchAll(
                db,
                sql: """
                    \(columns) FROM identity_certificate c
                    WHERE c.device = ? AND c.not_after > ? AND c.revoked IS NULL
                    """,
                arguments: [device, now.seconds])
        case .group(let group, let secrets):
            guard !secrets.isEmpty else { return [] }
            // The devices of the group first: those that hold the secret elsewhere are not looked at.
            rows = try Row.fetchAll(
                db,
                sql: """
                    \(columns) FROM enrollment_group g CROSS JOIN json_each(?) s
                    CROSS JOIN identity_certificate c ON c.secret = s.value AND c.device = g.enrollment
                    WHERE g.group_name = ? AND c.not_after > ? AND c.revoked IS NULL
                    """,
                arguments: [try text(of: secrets), group, now.seconds])
        }
        return rows.map { ($0["device"], $0["secret"], $0["group_names"]) }
    }

    private static func isAssigned(_ secret: String, _ db: Database) throws -> Bool {
        let statement = try db.cachedStatement(
            sql: "SELECT EXISTS (SELECT 1 FROM secret_assignment WHERE secret = ?)")
        return try Bool.fetchOne(statement, arguments: [secret]) == true
    }

    /// Counts what devices lost: when one has the secret again it is told of another asset than before, and asks anew.
    private static func rememberLoss(
        of secret: String, by devices: [String], _ db: Database, now: Foundation.Date
    ) throws {
        let names = try text(of: devices)
        try db.execute(
            sql: """
                INSERT INTO identity_loss (device, secret, losses) SELECT value, ?, 1 FROM json_each(?) WHERE true
                ON CONFLICT (device, secret) DO UPDATE SET losses = losses + 1
                """, arguments: [secret, names])
        try db.execute(
            sql: "UPDATE enrollment SET values_changed = ? WHERE key IN (SELECT value FROM json_each(?))",
            arguments: [now.seconds, names])
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
