import Foundation
import GRDB
import InputBounds
import Management

/// Which devices a change may have taken secrets from: those that hold certificates for them.
enum LossCandidates {
    /// The first devices of a group, of these secrets.
    case group(String, secrets: [String], limit: Int)
    /// The next devices that hold certificates for a secret, in the order of their keys.
    case holders(of: String, after: String, limit: Int)
    /// These devices, of any secret.
    case devices([String])
}

/// That a device holds certificates for a secret.
struct SecretHolding {
    let device: String
    let secret: String
    /// The device's groups, as a list in JSON.
    let groups: String
}

extension SQLiteStore {
    /// Revokes what this server's authority issued to devices for secrets that they do not have any more, in the
    /// transaction of the change; answers the groups whose manifests have to be looked at anew.
    static func revokeLost(
        of devices: [String], by actor: AuditActor, _ db: Database, now: Foundation.Date
    ) throws -> [String] {
        try revokeLost(holdings(.devices(devices), db, now: now), by: actor, db, now: now)
    }

    /// The same of what devices were found to hold.
    ///
    /// Rights that were handed out end with the certificates. Cost follows the devices that a change concerns.
    static func revokeLost(
        _ holdings: [SecretHolding], by actor: AuditActor, _ db: Database, now: Foundation.Date
    ) throws -> [String] {
        var standings = KnownStandings()
        var lost: [String: Lost] = [:]
        for holding in holdings {
            switch try standings.standing(of: holding, db) {
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

    /// How secrets stand in sets of groups, found out once for each set.
    ///
    /// Only groups count that are given an app which has a secret anywhere: most devices are alike in these, however
    /// different they are in others.
    private struct KnownStandings {
        private var counts: [String: Bool] = [:]
        private var standings: [[String]: [String: SecretStanding]] = [:]

        mutating func standing(of holding: SecretHolding, _ db: Database) throws -> SecretStanding {
            let groups = try JSONDecoder().decode([String].self, from: Data(holding.groups.utf8)).sorted()
                .filter { try isCounted($0, db) }
            let known = try standings[groups] ?? assignmentSnapshot(groups, db).standings
            standings[groups] = known
            return known[holding.secret] ?? .absent
        }

        private mutating func isCounted(_ group: String, _ db: Database) throws -> Bool {
            if let known = counts[group] { return known }
            let statement = try db.cachedStatement(
                sql: """
                    SELECT EXISTS (
                        SELECT 1 FROM assignment a JOIN secret_assignment s ON s.app = a.app WHERE a.group_name = ?)
                    """)
            let counts = try Bool.fetchOne(statement, arguments: [group]) == true
            self.counts[group] = counts
            return counts
        }
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

    /// The devices that hold certificates which still count.
    static func holdings(
        _ candidates: LossCandidates, _ db: Database, now: Foundation.Date
    ) throws -> [SecretHolding] {
        let columns = """
            SELECT DISTINCT c.device, c.secret,
                (SELECT json_group_array(group_name) FROM enrollment_group WHERE enrollment = c.device) AS group_names
            """
        let rows: [Row]
        switch candidates {
        case .devices(let devices):
            rows = try Row.fetchAll(
                db.cachedStatement(
                    sql: """
                        \(columns) FROM json_each(?) d CROSS JOIN identity_certificate c ON c.device = d.value
                        WHERE c.not_after > ? AND c.revoked IS NULL
                        """),
                arguments: [try text(of: devices), now.seconds])
        case .holders(let secret, let after, let limit):
            rows = try Row.fetchAll(
                db,
                sql: """
                    \(columns) FROM identity_certificate c
                    WHERE c.secret = ? AND c.device > ? AND c.not_after > ? AND c.revoked IS NULL
                    ORDER BY c.device LIMIT ?
                    """,
                arguments: [secret, after, now.seconds, limit])
        case .group(let group, let secrets, let limit):
            guard !secrets.isEmpty else { return [] }
            // The devices of the group first: those that hold the secret elsewhere are not looked at. For a secret that
            // nobody holds a certificate for, as for each that is no identity, none is.
            rows = try Row.fetchAll(
                db,
                sql: """
                    \(columns) FROM (
                        SELECT value FROM json_each(?)
                        WHERE EXISTS (SELECT 1 FROM identity_certificate WHERE secret = value AND revoked IS NULL)
                    ) s CROSS JOIN enrollment_group g
                    CROSS JOIN identity_certificate c ON c.secret = s.value AND c.device = g.enrollment
                    WHERE g.group_name = ? AND c.not_after > ? AND c.revoked IS NULL LIMIT ?
                    """,
                arguments: [try text(of: secrets), group, now.seconds, limit])
        }
        return rows.map { SecretHolding(device: $0["device"], secret: $0["secret"], groups: $0["group_names"]) }
    }

    private static func isAssigned(_ secret: String, _ db: Database) throws -> Bool {
        let statement = try db.cachedStatement(
            sql: "SELECT EXISTS (SELECT 1 FROM secret_assignment WHERE secret = ?)")
        return try Bool.fetchOne(statement, arguments: [secret]) == true
    }

    /// Counts the losses of devices: a device that gets the secret again gets another asset than before, and asks anew.
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
        return rows.reduce(into: [:]) { losses, row in losses[row["secret"]] = row["losses"] }
    }
}
