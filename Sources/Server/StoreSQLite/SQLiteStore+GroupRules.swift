package import Foundation
import GRDB
import InputBounds
package import Management

extension SQLiteStore {
    package func setGroupRule(
        _ rule: GroupRule?, of name: String, expected: ExpectedVersion, author: String, now: Foundation.Date
    ) async throws -> Outcome<Group, AdminRefusal> {
        try await write { db in
            guard let present = try Self.group(name, db) else { return .refused(.unknownGroup) }
            let version = present.rule == nil ? nil : present.revision
            guard expected.holds(for: version) else { return .refused(.versionMoved(current: version)) }
            guard rule != present.rule else { return .accepted(present) }
            if rule != nil, present.rule == nil {
                if let user = try Self.whoPutsDevices(into: name, db, now: now) { return .refused(.inUse(user)) }
                if let refusal = try Self.refusalOfAnotherRule(db) { return .refused(refusal) }
            }
            try Self.keep(rule, of: name, db)
            try Self.audit(
                rule == nil ? .removeGroupRule : .setGroupRule, name,
                rule.map { ["rule": .string($0.text)] } ?? [:], by: .administrator(author), db, now: now)
            guard let group = try Self.group(name, db) else { throw TransactionLost() }
            return .accepted(group)
        }
    }

    /// A server has so many rules and no more: all are judged when a device enrolls.
    static func refusalOfAnotherRule(_ db: Database) throws -> AdminRefusal? {
        let count = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM device_group WHERE rule IS NOT NULL") ?? 0
        return count < GroupRuleLimits.rules
            ? nil : .invalid(rule: "A server has at most \(GroupRuleLimits.rules) groups with rules.")
    }

    /// Writes a rule down with what it looks at; from now on the fleet is judged by it, from its first device on.
    static func keep(_ rule: GroupRule?, of name: String, _ db: Database) throws {
        try db.execute(
            sql: """
                UPDATE device_group SET rule = :rule, rule_revision = rule_revision + 1,
                    rule_judged = IIF(:rule IS NULL, NULL, '') WHERE name = :name
                """, arguments: ["rule": rule?.text, "name": name])
        try db.execute(sql: "DELETE FROM group_rule_fact WHERE group_name = ?", arguments: [name])
        for fact in rule?.facts ?? [] {
            try db.execute(sql: "INSERT INTO group_rule_fact VALUES (?, ?)", arguments: [fact.text, name])
        }
    }

    /// What would continue to put devices into a group by hand: a rule is refused as long as something does.
    private static func whoPutsDevices(
        into name: String, _ db: Database, now: Foundation.Date
    ) throws -> String? {
        let users = [
            (
                "open enrollment codes",
                "enrollment_code WHERE group_name = ? AND renews IS NULL AND state IN ('unused', 'redeemed') "
                    + "AND expires > \(now.seconds)"
            ),
            ("invitations", "invitation WHERE group_name = ? AND expires > \(now.seconds)"),
            // Those that came are not let in again.
            ("expected devices", "expected_device WHERE group_name = ? AND used IS NULL"),
        ]
        return try users.first { _, table in
            try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM \(table))", arguments: [name]) == true
        }?.0
    }

    /// Why no device is put into a group by hand; nothing where one may be.
    static func refusal(ofDevicesIn group: String, _ db: Database) throws -> AdminRefusal? {
        guard
            let row = try Row.fetchOne(
                db, sql: "SELECT rule IS NOT NULL AS has_rule FROM device_group WHERE name = ? AND removed IS NULL",
                arguments: [group])
        else { return .unknownGroup }
        return row["has_rule"] ? .groupHasRule : nil
    }

    /// The same for devices that are let in by somebody who may give secrets, or may not.
    static func refusal(ofDevicesIn group: String, reachingSecrets: Bool, _ db: Database) throws -> AdminRefusal? {
        if let refusal = try refusal(ofDevicesIn: group, db) { return refusal }
        return try reachingSecrets || !givesSecrets(group, db) ? nil : .groupGivesSecrets
    }

    // MARK: Judging

    package func judgeDue(of device: String?, limit: Int, now: Foundation.Date) async throws -> GroupMoves? {
        // Most often there is nothing, and nobody waits for the writer then.
        let isDue = try await read { db in
            // Two statements: one for both would look through the whole fleet for a single device.
            let condition = device == nil ? "" : " WHERE enrollment = ?"
            return try Bool.fetchOne(
                db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM group_rule_due\(condition))"),
                arguments: device.map { [$0] } ?? []) == true
        }
        guard isDue else { return nil }
        return try await write { db in
            let condition = device == nil ? "" : " WHERE enrollment = :device"
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT enrollment, json_group_array(fact) AS facts FROM group_rule_due\(condition)
                    GROUP BY enrollment ORDER BY enrollment LIMIT :limit
                    """, arguments: device.map { ["device": $0, "limit": limit] } ?? ["limit": limit])
            var moves = GroupMoves()
            for row in rows {
                let key: String = row["enrollment"]
                let names = try JSONDecoder().decode([String].self, from: Data((row["facts"] as String).utf8))
                let rules = try names.contains("") ? Self.allRules(db) : Self.rules(lookingAt: names, db)
                moves.add(try Self.judge([key], by: rules, db, now: now))
                try db.execute(sql: "DELETE FROM group_rule_due WHERE enrollment = ?", arguments: [key])
            }
            return moves
        }
    }

    package func judgeFleet(limit: Int, now: Foundation.Date) async throws -> GroupMoves? {
        let isBegun = try await read { db in
            try Bool.fetchOne(db, sql: "SELECT EXISTS (SELECT 1 FROM device_group WHERE rule_judged IS NOT NULL)")
                == true
        }
        guard isBegun else { return nil }
        return try await write { db in
            guard
                let row = try Row.fetchOne(
                    db, sql: "SELECT name, rule, rule_judged FROM device_group WHERE rule_judged IS NOT NULL LIMIT 1")
            else { return nil }
            let name: String = row["name"]
            let keys = try Self.devices(after: row["rule_judged"], limit: limit, db)
            let moves = try Self.judge(keys, by: [(name, try Self.rule(row))], db, now: now)
            try db.execute(
                sql: "UPDATE device_group SET rule_judged = ? WHERE name = ?",
                arguments: [keys.count < limit ? nil : keys.last, name])
            return moves
        }
    }

    /// Puts devices into the groups whose rules they meet, takes them out of those whose they do not, and takes from them
    /// what they lose by it.
    static func judge(
        _ devices: [String], by rules: [(group: String, rule: GroupRule)], _ db: Database, now: Foundation.Date
    ) throws -> GroupMoves {
        var moves = GroupMoves()
        guard !rules.isEmpty, !devices.isEmpty else { return moves }
        let needed = rules.reduce(into: Set<RuleFact>()) { $0.formUnion($1.rule.facts) }
        for facts in try ruleFacts(needed, of: devices, db) where try isJudged(facts.device, db) {
            let present = Set(try groups(of: facts.device, db))
            var hasMoved = false
            for (group, rule) in rules where rule.matches(facts) != present.contains(group) {
                hasMoved = true
                try db.executeCached(
                    sql: present.contains(group)
                        ? "DELETE FROM enrollment_group WHERE enrollment = ? AND group_name = ?"
                        : "INSERT INTO enrollment_group (enrollment, group_name) VALUES (?, ?)",
                    arguments: [facts.device, group])
            }
            guard hasMoved else { continue }
            moves.devices.append(ConcernedDevice(key: facts.device, groups: try groups(of: facts.device, db)))
        }
        guard !moves.devices.isEmpty else { return moves }
        moves.lost = try revokeLost(of: moves.devices.map(\.key), by: .server, db, now: now)
        return moves
    }

    /// Users' channels are in no groups, and who left is in none any more.
    private static func isJudged(_ device: String, _ db: Database) throws -> Bool {
        try Bool.fetchOne(
            db.cachedStatement(
                sql: "SELECT parent IS NULL AND state IN ('pending', 'enrolled') FROM enrollment WHERE key = ?"),
            arguments: [device]) == true
    }

    static func devices(after key: String, limit: Int, _ db: Database) throws -> [String] {
        try String.fetchAll(
            db.cachedStatement(sql: "SELECT key FROM enrollment WHERE key > ? ORDER BY key LIMIT ?"),
            arguments: [key, limit])
    }

    /// The rules that look at any of these.
    static func rules(
        lookingAt facts: [String], _ db: Database
    ) throws -> [(group: String, rule: GroupRule)] {
        try Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT name, rule FROM device_group WHERE rule IS NOT NULL AND name IN (
                        SELECT f.group_name FROM json_each(?) j CROSS JOIN group_rule_fact f ON f.fact = j.value)
                    """), arguments: [text(of: facts)]
        ).map { ($0["name"], try rule($0)) }
    }

    static func allRules(_ db: Database) throws -> [(group: String, rule: GroupRule)] {
        try Row.fetchAll(
            db.cachedStatement(sql: "SELECT name, rule FROM device_group WHERE rule IS NOT NULL")
        ).map { ($0["name"], try rule($0)) }
    }

    /// A rule that cannot be read means that a newer server wrote it.
    static func rule(_ row: Row) throws -> GroupRule {
        do {
            return try GroupRule(parsing: row["rule"])
        } catch {
            throw UnknownWord(column: "rule")
        }
    }

    // MARK: Who is due

    /// Has all rules judge a device, of which everything may be another now.
    static func noteDue(_ device: String, _ db: Database) throws {
        try db.executeCached(sql: "INSERT OR IGNORE INTO group_rule_due VALUES (?, '')", arguments: [device])
    }

    /// Has the rules judge a device that look at any of these.
    static func noteDue(_ device: String, lookingAt facts: [String], _ db: Database) throws {
        try db.executeCached(
            sql: """
                INSERT OR IGNORE INTO group_rule_due SELECT DISTINCT ?, f.fact
                FROM json_each(?) j CROSS JOIN group_rule_fact f ON f.fact = j.value
                """, arguments: [device, text(of: facts)])
    }
}
