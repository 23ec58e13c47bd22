import DeviceMessages
package import Foundation
import GRDB
import InputBounds
package import Management

extension SQLiteStore {
    /// Groups one device may be in: each different set of groups has a manifest of its own.
    private static let groupsPerDevice = 64

    package func deviceContext(key: String) async throws -> DeviceContext? {
        try await read { db in try Self.context(key, db) }
    }

    package func deviceKey(fingerprint: Data) async throws -> String? {
        try await read { db in
            try String.fetchOne(
                db,
                sql: """
                    SELECT COALESCE(
                        c.enrollment, (SELECT r.renews FROM enrollment_code r WHERE r.id = c.code))
                    FROM certificate c WHERE c.fingerprint = ?
                    """,
                arguments: [fingerprint])
        }
    }

    package func device(_ id: String) async throws -> Device? {
        try await read { db in
            try Self.device(id, db)
        }
    }

    static func device(_ id: String, _ db: Database) throws -> Device? {
        try Row.fetchOne(db, sql: "\(deviceColumns) WHERE e.key = ?", arguments: [id]).map { try device($0, db) }
    }

    package func devices(_ filter: DeviceFilter, _ page: PageRequest) async throws -> Page<Device> {
        try await read { db in
            var condition = filter.beginning
            var arguments: StatementArguments = ["after": page.after ?? "", "limit": page.limit + 1]
            if let group = filter.group { arguments += ["group": group] }
            if let serial = filter.serialNumber {
                condition += " AND e.key IN (SELECT key FROM enrollment WHERE \(Schema.serialNumber) = :serial)"
                arguments += ["serial": serial]
            }
            if let reference = filter.named {
                let bearers = try filter.bearers(of: reference, db)
                condition += " AND e.key IN (\(bearers))"
                arguments += ["named": reference.content]
            }
            let (sql, values) = filter.narrowing
            condition += sql
            arguments += values
            let rows = try Row.fetchAll(
                db, sql: "\(Self.deviceColumns) WHERE \(condition) ORDER BY e.key LIMIT :limit", arguments: arguments)
            return Page(cutting: try rows.map { try Self.device($0, db) }, to: page.limit, cursor: \.id)
        }
    }

    package func addDevice(
        _ id: String, toGroup group: String, author: String, now: Foundation.Date
    ) async throws -> Outcome<Regrouped, AdminRefusal> {
        try await write { db in
            guard let context = try Self.context(id, db) else { return .refused(.unknownDevice) }
            guard context.state == .pending || context.state == .enrolled else { return .refused(.deviceWithdrawn) }
            if let refusal = try Self.refusal(ofDevicesIn: group, db) { return .refused(refusal) }
            guard context.groups.contains(group) || context.groups.count < Self.groupsPerDevice else {
                return .refused(.invalid(rule: "A device is in at most \(Self.groupsPerDevice) groups."))
            }
            try db.execute(
                sql: "INSERT OR IGNORE INTO enrollment_group (enrollment, group_name) VALUES (?, ?)",
                arguments: [id, group])
            try Self.audit(
                .addDeviceToGroup, id, ["group": .string(group)], by: .administrator(author), db, now: now)
            // What the group gives may cover what the device had.
            let lost = try Self.revokeLost(of: [id], by: .administrator(author), db, now: now)
            return .accepted(Regrouped(concerned: lost))
        }
    }

    package func removeDevice(
        _ id: String, fromGroup group: String, author: String, now: Foundation.Date
    ) async throws -> Outcome<Regrouped, AdminRefusal> {
        try await write { db in
            guard try Self.context(id, db) != nil else { return .refused(.unknownDevice) }
            if let refusal = try Self.refusal(ofDevicesIn: group, db) { return .refused(refusal) }
            try db.execute(
                sql: "DELETE FROM enrollment_group WHERE enrollment = ? AND group_name = ?", arguments: [id, group])
            guard db.changesCount == 1 else { return .refused(.unknownGroup) }
            try Self.audit(
                .removeDeviceFromGroup, id, ["group": .string(group)], by: .administrator(author), db, now: now)
            let lost = try Self.revokeLost(of: [id], by: .administrator(author), db, now: now)
            return .accepted(Regrouped(concerned: lost))
        }
    }

    package func recordSeen(_ seen: [String: Foundation.Date]) async throws {
        // In parts, so that those who wait behind do not wait long.
        let all = Array(seen)
        for start in stride(from: 0, to: all.count, by: 1_000) {
            let part = all[start..<min(start + 1_000, all.count)]
            try await write { db in
                let statement = try db.cachedStatement(sql: "UPDATE enrollment SET last_seen = ? WHERE key = ?")
                for (key, date) in part { try statement.execute(arguments: [date.seconds, key]) }
            }
        }
    }

    // MARK: Reading

    static func context(_ key: String, _ db: Database) throws -> DeviceContext? {
        let statement = try db.cachedStatement(
            sql: """
                SELECT kind, state, fingerprint, previous_fingerprint, epoch, push_magic, told_token, told_sequence, items_token, settled_token,
                    parent, platform, os_version, agent_version, taken_types, tells_feedback, takes_app_commands,
                    ownership, arrival, access_digest, access_since, access_ended, awaiting,
                    EXISTS (SELECT 1 FROM command WHERE enrollment = key AND finished IS NULL) AS has_open
                FROM enrollment WHERE key = ?
                """)
        guard let row = try Row.fetchOne(statement, arguments: [key]) else { return nil }
        return DeviceContext(
            key: key, kind: try row.word("kind"), state: try row.word("state"), fingerprint: row["fingerprint"],
            previousFingerprint: row["previous_fingerprint"], epoch: row["epoch"], groups: try groups(of: key, db),
            pushMagic: row["push_magic"],
            hasOpenCommands: row["has_open"],
            told: DeviceContext.Told(
                token: row["told_token"], sequence: row["told_sequence"], itemsToken: row["items_token"],
                settledToken: row["settled_token"]),
            audience: try audience(row, db), access: access(row), awaitsConfiguration: row["awaiting"],
            withheldApps: Set(try withheldApps(on: key, db).keys))
    }

    static func groups(of key: String, _ db: Database) throws -> [String] {
        let statement = try db.cachedStatement(
            sql: """
                SELECT group_name FROM enrollment_group WHERE enrollment = ?
                    AND group_name NOT IN (SELECT name FROM device_group WHERE removed IS NOT NULL) ORDER BY group_name
                """)
        return try String.fetchAll(statement, arguments: [key])
    }

    private static let failingStates = ReportedAppState.allCases.filter(\.isFailing)
        .map { "'\($0.rawValue)'" }.joined(separator: ", ")

    private static let deviceColumns = """
        SELECT e.*, c.serial, c.not_after, r.due AS renewal_due, r.ordered AS renewal_ordered,
            (SELECT COUNT(*) FROM command WHERE enrollment = e.key AND finished IS NULL) AS open_commands,
            (SELECT COUNT(*) FROM refusal WHERE enrollment = e.key) AS refusals,
            (SELECT COUNT(*) FROM app_state WHERE enrollment = e.key AND state IN (\(failingStates))) AS failing_apps
        FROM enrollment e LEFT JOIN certificate c ON c.fingerprint = e.fingerprint
            LEFT JOIN renewal r ON r.enrollment = e.key
        """

    static func facts(_ row: Row) throws -> DeviceFacts {
        let facts: String = row["facts"]
        return try JSONDecoder().decode(DeviceFacts.self, from: Data(facts.utf8))
    }

    private static func device(_ row: Row, _ db: Database) throws -> Device {
        let key: String = row["key"]
        return Device(
            id: key, kind: try row.word("kind"), state: try row.word("state"), ownership: try row.word("ownership"),
            supervised: row["supervised"], groups: try groups(of: key, db),
            facts: try facts(row), audience: try audience(row, db), person: row["person"],
            attributes: try attributes(row),
            arrival: Arrival(
                kind: try row.word("arrival"), account: row["account"], hasUserChannels: row["user_channels"]),
            access: access(row),
            awaitsConfiguration: row["awaiting"], enrolled: row.date("enrolled"),
            lastSeen: row.optionalDate("last_seen"), certificateSerial: row["serial"],
            certificateNotAfter: row.optionalDate("not_after"), renewal: renewal(row), toldToken: row["told_token"],
            openCommands: row["open_commands"], refusals: row["refusals"], failingApps: row["failing_apps"],
            isUserChannel: (row["parent"] as String?) != nil)
    }

    private static func renewal(_ row: Row) -> IdentityRenewal? {
        guard let notAfter = row.optionalDate("not_after"), let due = row.optionalDate("renewal_due") else {
            return nil
        }
        return IdentityRenewal(notAfter: notAfter, due: due, ordered: row.optionalDate("renewal_ordered"))
    }
}
