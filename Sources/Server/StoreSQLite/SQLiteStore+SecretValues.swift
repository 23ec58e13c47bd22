import Foundation
import GRDB
import InputBounds
package import Management

extension SQLiteStore {
    package func putSecretValues(
        _ draft: SecretValuesDraft, expected: ExpectedVersion, keeping: Int
    ) async throws -> Outcome<SecretValuesChange, AdminRefusal> {
        let serials = try Self.text(of: draft.serials)
        do {
            return try await write { db in
                try Self.putSecretValues(draft, serials, expected: expected, keeping: keeping, db)
            }
        } catch let refusal as AdminRefusal {
            return .refused(refusal)
        }
    }

    private static func putSecretValues(
        _ draft: SecretValuesDraft, _ serials: String, expected: ExpectedVersion, keeping: Int, _ db: Database
    ) throws -> Outcome<SecretValuesChange, AdminRefusal> {
        let present = try Self.secret(draft.name, db)
        guard expected.holds(for: present?.current.number) else {
            return .refused(.versionMoved(current: present?.current.number))
        }
        if let present, present.kind != draft.kind {
            return .refused(.invalid(rule: "A secret stays of the kind it was made."))
        }
        let removed = draft.replaces ? try Self.serials(of: draft.name, notAmong: serials, db) : []
        if let present, draft.changed.isEmpty, removed.isEmpty {
            return .accepted(
                SecretValuesChange(
                    secret: present, set: 0, removed: 0, total: try Self.deviceValues(of: draft.name, db)))
        }
        let number = try Self.nextSecretVersion(draft.name, db)
        let sealed = try draft.seal(number)
        if let master = try Self.masterKeyID(db), master != sealed.masterKeyID { throw MasterKeyReplaced() }
        try Self.setMasterKey(sealed.masterKeyID, db)
        // The secret first, then the values that refer to it, then the version that counts them.
        try db.execute(
            sql: """
                INSERT INTO secret (name, kind, current) VALUES (?, ?, ?)
                ON CONFLICT (name) DO UPDATE SET current = excluded.current
                """,
            arguments: [draft.name, draft.kind.rawValue, number])
        try Self.replace(draft, removed, sealed, number, db)
        let total = try Self.deviceValues(of: draft.name, db)
        guard total <= SecretLimits.deviceValues else {
            // Thrown, so that nothing of it stays.
            throw AdminRefusal.invalid(
                rule: "At most \(SecretLimits.deviceValues) devices have a value of their own.")
        }
        var description = present?.current.description ?? SecretDescription()
        description.variables = draft.variables.isEmpty ? nil : draft.variables
        description.deviceValues = total
        let version = SecretVersion(
            number: number, author: draft.author, created: draft.now, description: description)
        try Self.add(
            version, of: draft.name, masterKeyID: sealed.masterKeyID, wrappedKey: sealed.wrappedKey, sealed: nil, db)
        try Self.forgetUnused(of: draft.name, keeping: keeping, newest: number, db)
        let devices = try Self.touchDevices(serials: draft.changed + removed, db, now: draft.now)
        try Self.audit(
            .setSecretValues, draft.name,
            [
                "version": .integer(Int64(number)), "set": .integer(Int64(draft.changed.count)),
                "removed": .integer(Int64(removed.count)),
            ], by: .administrator(draft.author), db, now: draft.now)
        return .accepted(
            SecretValuesChange(
                secret: Secret(name: draft.name, kind: draft.kind, current: version), set: draft.changed.count,
                removed: removed.count, total: total, devices: devices,
                groups: try Self.groups(withSecret: draft.name, db)))
    }

    package func secretValues(of name: String, serials: [String]) async throws -> [KeptSecret] {
        let serials = try Self.text(of: serials)
        return try await read { db in
            try Row.fetchAll(
                db, sql: "\(Self.valueColumns) AND d.serial IN (SELECT value FROM json_each(?))",
                arguments: [name, serials]
            ).map { Self.keptValue($0, of: name) }
        }
    }

    // MARK: Rows

    /// The value that a device has of its own.
    static func keptValue(of name: String, forDevice key: String, _ db: Database) throws -> KeptSecret? {
        try Row.fetchOne(
            db, sql: "\(valueColumns) AND d.serial = (SELECT serial FROM (\(soleSerial)))", arguments: [name, key]
        ).map { keptValue($0, of: name) }
    }

    /// What an enrollment is called, if no other device that is enrolled calls itself the same: a device says itself what
    /// its serial number is, and two that say the same one are given nothing that is meant for one.
    private static let soleSerial = """
        SELECT \(Schema.serialNumber) AS serial FROM enrollment WHERE key = ? AND NOT EXISTS (
            SELECT 1 FROM enrollment other WHERE other.state IN ('pending', 'enrolled') AND other.key <> enrollment.key
            AND COALESCE(NULLIF(json_extract(other.facts, '$.serialNumber'), ''), other.key)
                = COALESCE(NULLIF(json_extract(enrollment.facts, '$.serialNumber'), ''), enrollment.key))
        """

    private static let valueColumns = """
        SELECT d.serial, d.version, d.sealed, v.master_key, v.wrapped_key FROM secret_device_value d
        JOIN secret_version v ON v.secret = d.secret AND v.version = d.version
        WHERE d.secret = ? AND v.wrapped_key IS NOT NULL
        """

    private static func keptValue(_ row: Row, of name: String) -> KeptSecret {
        KeptSecret(name: name, version: row["version"], serial: row["serial"], secret: sealed(row))
    }

    /// How many devices have a value of their own.
    static func deviceValues(of name: String, _ db: Database) throws -> Int {
        try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM secret_device_value WHERE secret = ?", arguments: [name]) ?? 0
    }

    /// What a device has of its own; `names` is a list in JSON.
    static func ownSecrets(
        of key: String, amongNames names: String, _ db: Database
    ) throws -> [String: OwnSecret] {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT d.secret, d.version, v.description FROM secret_device_value d
                JOIN secret_version v ON v.secret = d.secret AND v.version = d.version
                WHERE d.serial = (SELECT serial FROM (\(soleSerial)))
                AND d.secret IN (SELECT value FROM json_each(?))
                """,
            arguments: [key, names])
        return try rows.reduce(into: [:]) { secrets, row in
            secrets[row["secret"]] = OwnSecret(
                version: row["version"], variables: try description(row).variables ?? [])
        }
    }

    private static func serials(of name: String, notAmong serials: String, _ db: Database) throws -> [String] {
        try String.fetchAll(
            db,
            sql: """
                SELECT serial FROM secret_device_value
                WHERE secret = ? AND serial NOT IN (SELECT value FROM json_each(?))
                """,
            arguments: [name, serials])
    }

    private static func replace(
        _ draft: SecretValuesDraft, _ removed: [String], _ sealed: SealedDeviceValues, _ version: Int, _ db: Database
    ) throws {
        for (serial, bytes) in sealed.sealed {
            try db.executeCached(
                sql: """
                    INSERT INTO secret_device_value (secret, serial, version, sealed) VALUES (?, ?, ?, ?)
                    ON CONFLICT (secret, serial) DO UPDATE SET version = excluded.version, sealed = excluded.sealed
                    """,
                arguments: [draft.name, serial, version, bytes])
        }
        for serial in removed {
            try db.executeCached(
                sql: "DELETE FROM secret_device_value WHERE secret = ? AND serial = ?",
                arguments: [draft.name, serial])
        }
    }

    /// Notes when values of these devices changed; answers those that are enrolled.
    private static func touchDevices(
        serials: [String], _ db: Database, now: Foundation.Date
    ) throws -> [ConcernedDevice] {
        var devices: [ConcernedDevice] = []
        for serial in serials {
            let statement = try db.cachedStatement(
                sql: """
                    UPDATE enrollment SET values_changed = ? WHERE \(Schema.serialNumber) = ?
                    AND state IN ('pending', 'enrolled') RETURNING key
                    """)
            for key in try String.fetchAll(statement, arguments: [now.seconds, serial]) {
                devices.append(ConcernedDevice(key: key, groups: try groups(of: key, db)))
            }
        }
        return devices
    }
}
