import Foundation
import GRDB
import InputBounds
package import Management

extension SQLiteStore {
    package func putSecretValues(
        _ draft: SecretValuesDraft, expected: ExpectedVersion, keeping: Int
    ) async throws -> Outcome<SecretValuesChange, AdminRefusal> {
        let names = try Self.text(of: draft.names)
        do {
            return try await write { db in
                try Self.putSecretValues(draft, names, expected: expected, keeping: keeping, db)
            }
        } catch let refusal as AdminRefusal {
            return .refused(refusal)
        }
    }

    private static func putSecretValues(
        _ draft: SecretValuesDraft, _ names: String, expected: ExpectedVersion, keeping: Int, _ db: Database
    ) throws -> Outcome<SecretValuesChange, AdminRefusal> {
        let present = try Self.secret(draft.name, db)
        guard expected.holds(for: present?.current.number) else {
            return .refused(.versionMoved(current: present?.current.number))
        }
        if let present, present.kind != draft.kind {
            return .refused(.invalid(rule: "A secret stays of the kind it was made."))
        }
        let owners = draft.owners
        if owners == .person { try Self.expectPeople(names, db) }
        let removed = draft.replaces ? try Self.names(of: owners, with: draft.name, notAmong: names, db) : []
        if let present, draft.changed.isEmpty, removed.isEmpty {
            return .accepted(
                SecretValuesChange(
                    secret: present, owners: owners, set: 0, removed: 0,
                    total: try Self.ownValues(of: owners, with: draft.name, db)))
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
        let total = try Self.ownValues(of: owners, with: draft.name, db)
        guard total <= SecretLimits.ownValues else {
            // Thrown, so that nothing of it stays.
            throw AdminRefusal.invalid(
                rule: "At most \(SecretLimits.ownValues) \(owners == .device ? "devices" : "people") have a value of "
                    + "their own.")
        }
        var description = present?.current.description ?? SecretDescription()
        description.variables = draft.variables.isEmpty ? nil : draft.variables
        switch owners {
        case .device: description.deviceValues = total
        case .person: description.personValues = total
        }
        let version = SecretVersion(
            number: number, author: draft.author, created: draft.now, description: description)
        try Self.add(
            version, of: draft.name, masterKeyID: sealed.masterKeyID, wrappedKey: sealed.wrappedKey, sealed: nil, db)
        try Self.forgetUnused(of: draft.name, keeping: keeping, newest: number, db)
        let devices = try Self.touchDevices(of: owners, named: draft.changed + removed, db, now: draft.now)
        try Self.auditValues(draft, version: number, removed: removed.count, db)
        return .accepted(
            SecretValuesChange(
                secret: Secret(name: draft.name, kind: draft.kind, current: version), owners: owners,
                set: draft.changed.count, removed: removed.count, total: total, devices: devices,
                groups: try Self.groups(withSecret: draft.name, db)))
    }

    package func secretValues(
        of name: String, owners: SecretOwner.Kind, named names: [String]
    ) async throws -> [KeptSecret] {
        let names = try Self.text(of: names)
        return try await read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT d.version, d.sealed, '\(owners.rawValue)' AS owner_kind, d.\(owners.column) AS owner,
                        v.master_key, v.wrapped_key
                    FROM \(owners.table) d JOIN secret_version v ON v.secret = d.secret AND v.version = d.version
                    WHERE d.secret = ? AND v.wrapped_key IS NOT NULL
                        AND d.\(owners.column) IN (SELECT value FROM json_each(?))
                    """,
                arguments: [name, names]
            ).map { try Self.keptValue($0, of: name) }
        }
    }

    // MARK: Rows

    /// The values that a device has of its own and by its person.
    static func keptValues(
        of name: String, forDevice key: String, _ db: Database
    ) throws -> SecretChoice<KeptSecret> {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT o.version, o.sealed, o.owner_kind, o.owner, v.master_key, v.wrapped_key FROM (\(ownRows)) o
                JOIN secret_version v ON v.secret = o.secret AND v.version = o.version
                WHERE o.secret = :name AND v.wrapped_key IS NOT NULL
                """,
            arguments: ["key": key, "name": name])
        return try rows.reduce(into: SecretChoice()) { choice, row in
            choice.add(try keptValue(row, of: name), of: try owner(row).kind)
        }
    }

    /// What an enrollment is called, if no other device that is enrolled calls itself the same: a device says itself what
    /// its serial number is, and two that say the same one are given nothing that is meant for one.
    private static let soleSerial = """
        SELECT \(Schema.serialNumber) AS serial FROM enrollment WHERE key = :key AND NOT EXISTS (
            SELECT 1 FROM enrollment other WHERE other.state IN ('pending', 'enrolled') AND other.key <> enrollment.key
            AND COALESCE(NULLIF(json_extract(other.facts, '$.serialNumber'), ''), other.key)
                = COALESCE(NULLIF(json_extract(enrollment.facts, '$.serialNumber'), ''), enrollment.key))
        """

    /// All values that an enrollment has of its own and by its person.
    private static let ownRows = """
        SELECT d.secret, d.version, d.sealed, 'device' AS owner_kind, d.serial AS owner FROM secret_device_value d
        WHERE d.serial = (SELECT serial FROM (\(soleSerial)))
        UNION ALL SELECT p.secret, p.version, p.sealed, 'person', p.person FROM secret_person_value p
        WHERE p.person = (SELECT person FROM enrollment WHERE key = :key)
        """

    private static func owner(_ row: Row) throws -> SecretOwner {
        let kind: SecretOwner.Kind = try row.word("owner_kind")
        return SecretOwner(kind, named: row["owner"])
    }

    private static func keptValue(_ row: Row, of name: String) throws -> KeptSecret {
        KeptSecret(name: name, version: row["version"], owner: try owner(row), secret: sealed(row))
    }

    /// How many devices, or people, have a value of their own.
    static func ownValues(of owners: SecretOwner.Kind, with name: String, _ db: Database) throws -> Int {
        try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM \(owners.table) WHERE secret = ?", arguments: [name]) ?? 0
    }

    /// What a device has of its own or by its person, where that counts; `names` is a list in JSON.
    static func ownSecrets(
        of key: String, amongNames names: String, _ db: Database
    ) throws -> [String: OwnSecret] {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT o.secret, o.version, o.owner_kind, o.owner, v.description, v.wrapped_key IS NULL AS lacks_value
                FROM (\(ownRows)) o
                JOIN secret_version v ON v.secret = o.secret AND v.version = o.version
                WHERE o.secret IN (SELECT value FROM json_each(:names))
                """,
            arguments: ["key": key, "names": names])
        var choices: [String: SecretChoice<OwnSecret>] = [:]
        for row in rows {
            let name: String = row["secret"]
            let owner = try Self.owner(row)
            let own = OwnSecret(
                owner: owner, version: row["version"], variables: try description(row).variables ?? [],
                lacksValue: row["lacks_value"])
            choices[name, default: SecretChoice()].add(own, of: owner.kind)
        }
        return choices.compactMapValues(\.effective)
    }

    /// Throws the first of the people, a list in JSON, who is not known.
    private static func expectPeople(_ names: String, _ db: Database) throws {
        let unknown = try String.fetchOne(
            db,
            sql: """
                SELECT value FROM json_each(?) WHERE NOT EXISTS (SELECT 1 FROM person WHERE user_name = value)
                ORDER BY key LIMIT 1
                """,
            arguments: [names])
        if let unknown { throw UnknownSecretOwner(userName: unknown) }
    }

    private static func names(
        of owners: SecretOwner.Kind, with name: String, notAmong names: String, _ db: Database
    ) throws -> [String] {
        try String.fetchAll(
            db,
            sql: """
                SELECT \(owners.column) FROM \(owners.table)
                WHERE secret = ? AND \(owners.column) NOT IN (SELECT value FROM json_each(?))
                """,
            arguments: [name, names])
    }

    private static func replace(
        _ draft: SecretValuesDraft, _ removed: [String], _ sealed: SealedOwnValues, _ version: Int, _ db: Database
    ) throws {
        let (table, column) = (draft.owners.table, draft.owners.column)
        for (name, bytes) in sealed.sealed {
            try db.executeCached(
                sql: """
                    INSERT INTO \(table) (secret, \(column), version, sealed) VALUES (?, ?, ?, ?)
                    ON CONFLICT (secret, \(column)) DO UPDATE SET version = excluded.version, sealed = excluded.sealed
                    """,
                arguments: [draft.name, name, version, bytes])
        }
        for name in removed {
            try db.executeCached(
                sql: "DELETE FROM \(table) WHERE secret = ? AND \(column) = ?", arguments: [draft.name, name])
        }
    }

    private static func auditValues(
        _ draft: SecretValuesDraft, version: Int, removed: Int, _ db: Database
    ) throws {
        var details: [String: JSONValue] = [
            "version": .integer(Int64(version)), "set": .integer(Int64(draft.changed.count)),
            "removed": .integer(Int64(removed)),
        ]
        if draft.owners == .person { details["owner"] = .string(draft.owners.rawValue) }
        try audit(.setSecretValues, draft.name, details, by: .administrator(draft.author), db, now: draft.now)
    }

    /// Removes a person's values with the keys that open nothing else; answers how many they were.
    static func removeSecretValues(ofPerson userName: String, _ db: Database) throws -> Int {
        let names = try String.fetchAll(
            db, sql: "DELETE FROM secret_person_value WHERE person = ? RETURNING secret", arguments: [userName])
        for name in names {
            try forgetUnusedValues(of: name, db)
            try db.execute(
                sql: """
                    UPDATE secret_version SET description = json_set(description, '$.personValues', ?)
                    WHERE secret = ? AND version = (SELECT current FROM secret WHERE name = secret_version.secret)
                    """,
                arguments: [try ownValues(of: .person, with: name, db), name])
        }
        return names.count
    }

    /// Notes when values of these devices, or of these people's devices, changed; answers those that are enrolled.
    private static func touchDevices(
        of owners: SecretOwner.Kind, named names: [String], _ db: Database, now: Foundation.Date
    ) throws -> [ConcernedDevice] {
        let owner = owners == .device ? Schema.serialNumber : "person"
        var devices: [ConcernedDevice] = []
        for name in names {
            let statement = try db.cachedStatement(
                sql: """
                    UPDATE enrollment SET values_changed = ? WHERE \(owner) = ?
                    AND state IN ('pending', 'enrolled') RETURNING key
                    """)
            for key in try String.fetchAll(statement, arguments: [now.seconds, name]) {
                devices.append(ConcernedDevice(key: key, groups: try groups(of: key, db)))
            }
        }
        return devices
    }
}

extension SecretOwner.Kind {
    /// The table of the values.
    fileprivate var table: String {
        switch self {
        case .device: "secret_device_value"
        case .person: "secret_person_value"
        }
    }

    /// The column of the table that says whose the value is.
    fileprivate var column: String {
        switch self {
        case .device: "serial"
        case .person: "person"
        }
    }
}
