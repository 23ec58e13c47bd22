package import Foundation
import GRDB
import InputBounds
package import Management

extension SQLiteStore {
    package func putSecret(
        _ draft: SecretDraft, expected: ExpectedVersion, keeping: Int
    ) async throws -> Outcome<Changed<Secret>, AdminRefusal> {
        try await write { db in
            let present = try Self.secret(draft.name, db)
            guard expected.holds(for: present?.current.number) else {
                return .refused(.versionMoved(current: present?.current.number))
            }
            if let present, present.kind != draft.kind {
                return .refused(.invalid(rule: "A secret stays of the kind it was made."))
            }
            let number = try Self.nextSecretVersion(draft.name, db)
            let sealed = try draft.seal(number)
            if let master = try Self.masterKeyID(db), master != sealed.masterKeyID { throw MasterKeyReplaced() }
            try Self.setMasterKey(sealed.masterKeyID, db)
            let devices = try Self.ownValues(of: .device, with: draft.name, db)
            let people = try Self.ownValues(of: .person, with: draft.name, db)
            var description = draft.description
            if devices > 0 { description.deviceValues = devices }
            if people > 0 { description.personValues = people }
            let version = SecretVersion(
                number: number, author: draft.author, created: draft.now, description: description)
            try Self.add(version, of: draft, sealed, keeping: keeping, db)
            let groups = try Self.groups(withSecret: draft.name, db)
            try Self.touch(groups, db, now: draft.now)
            try Self.audit(
                .setSecret, draft.name,
                ["kind": .string(draft.kind.rawValue), "version": .integer(Int64(number))],
                by: .administrator(draft.author), db, now: draft.now)
            return .accepted(
                Changed(Secret(name: draft.name, kind: draft.kind, current: version), groups: groups))
        }
    }

    package func secret(named name: String) async throws -> Secret? {
        try await read { db in try Self.secret(name, db) }
    }

    package func secrets(_ page: PageRequest) async throws -> Page<Secret> {
        try await read { db in
            let rows = try Row.fetchAll(
                db, sql: "\(Self.secretColumns) WHERE s.name > ? ORDER BY s.name LIMIT ?",
                arguments: [page.after ?? "", page.limit + 1])
            return Page(cutting: try rows.map(Self.secret), to: page.limit, cursor: \.name)
        }
    }

    package func secretVersions(
        of name: String, _ page: PageRequest
    ) async throws -> Outcome<Page<SecretVersion>, AdminRefusal> {
        try await read { db in
            guard try Self.secret(name, db) != nil else { return .refused(.unknownSecret) }
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT version, author, created, description FROM secret_version
                    WHERE secret = ? AND version < ? ORDER BY version DESC LIMIT ?
                    """,
                arguments: [name, page.after.flatMap { Int($0) } ?? Int.max, page.limit + 1])
            return .accepted(
                Page(cutting: try rows.map(Self.secretVersion), to: page.limit) { String($0.number) })
        }
    }

    package func removeSecret(
        named name: String, expected: ExpectedVersion, author: String, now: Foundation.Date
    ) async throws -> AdminRefusal? {
        try await write { db in
            guard let present = try Self.secret(name, db) else { return .unknownSecret }
            guard expected.holds(for: present.current.number) else {
                return .versionMoved(current: present.current.number)
            }
            if try Bool.fetchOne(
                db, sql: "SELECT EXISTS (SELECT 1 FROM secret_assignment WHERE secret = ?)", arguments: [name]) == true
            {
                return .inUse("assignments")
            }
            try db.execute(sql: "DELETE FROM secret WHERE name = ?", arguments: [name])
            // Versions of the name count on, so nobody takes a new one for what was lost.
            try db.execute(sql: "DELETE FROM identity_loss WHERE secret = ?", arguments: [name])
            try Self.audit(.removeSecret, name, by: .administrator(author), db, now: now)
            return nil
        }
    }

    // MARK: Rows

    static func secret(_ name: String, _ db: Database) throws -> Secret? {
        try Row.fetchOne(db, sql: "\(secretColumns) WHERE s.name = ?", arguments: [name]).map(secret)
    }

    private static let secretColumns = """
        SELECT s.name, s.kind, v.version, v.author, v.created, v.description,
            EXISTS (SELECT 1 FROM identity_loss_due l WHERE l.secret = s.name) AS is_revoking,
            (\(lacksValue)) AS lacks_value
        FROM secret s JOIN secret_version v ON v.secret = s.name AND v.version = s.current
        """

    /// Of a secret `s`: whether a value in use was forgotten with its master key.
    ///
    /// Versions are read one by one only where devices or people have values of their own.
    static let lacksValue = """
        EXISTS (SELECT 1 FROM secret_version c
            WHERE c.secret = s.name AND c.version = s.common AND c.wrapped_key IS NULL)
        OR ((EXISTS (SELECT 1 FROM secret_device_value o WHERE o.secret = s.name)
            OR EXISTS (SELECT 1 FROM secret_person_value o WHERE o.secret = s.name))
            AND EXISTS (SELECT 1 FROM secret_version WHERE secret_version.secret = s.name
                AND secret_version.wrapped_key IS NULL AND NOT (\(hasNoValues))))
        """

    private static func secret(_ row: Row) throws -> Secret {
        Secret(
            name: row["name"], kind: try row.word("kind"), current: try secretVersion(row),
            isRevoking: row["is_revoking"], lacksValue: row["lacks_value"])
    }

    private static func secretVersion(_ row: Row) throws -> SecretVersion {
        SecretVersion(
            number: row["version"], author: row["author"], created: row.date("created"),
            description: try description(row))
    }

    static func description(_ row: Row) throws -> SecretDescription {
        let text: String = row["description"]
        return try JSONDecoder().decode(SecretDescription.self, from: Data(text.utf8))
    }

    /// Counts the versions of a name without starting again, so that a device never takes one version for another.
    static func nextSecretVersion(_ name: String, _ db: Database) throws -> Int {
        let next = try Int.fetchOne(
            db,
            sql: """
                INSERT INTO secret_number (name, last) VALUES (?, 1)
                ON CONFLICT (name) DO UPDATE SET last = last + 1 RETURNING last
                """,
            arguments: [name])
        guard let next else { throw TransactionLost() }
        return next
    }

    private static func add(
        _ version: SecretVersion, of draft: SecretDraft, _ sealed: SealedSecret, keeping: Int, _ db: Database
    ) throws {
        try db.execute(
            sql: """
                INSERT INTO secret (name, kind, current, common) VALUES (:name, :kind, :version, :version)
                ON CONFLICT (name) DO UPDATE SET current = excluded.current, common = excluded.common
                """,
            arguments: ["name": draft.name, "kind": draft.kind.rawValue, "version": version.number])
        try add(
            version, of: draft.name, masterKeyID: sealed.masterKeyID, wrappedKey: sealed.wrappedKey,
            sealed: sealed.sealed, db)
        try forgetUnused(of: draft.name, keeping: keeping, newest: version.number, db)
    }

    static func add(
        _ version: SecretVersion, of name: String, masterKeyID: String, wrappedKey: Data, sealed: Data?, _ db: Database
    ) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        let description = String(decoding: try encoder.encode(version.description), as: UTF8.self)
        try db.execute(
            sql: """
                INSERT INTO secret_version
                (secret, version, author, created, description, master_key, wrapped_key, sealed)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                name, version.number, version.author, version.created.seconds, description, masterKeyID, wrappedKey,
                sealed,
            ])
    }

    private static let isUnused = """
        version IS NOT (SELECT common FROM secret WHERE name = secret_version.secret)
        """

    private static let hasNoValues = """
        NOT EXISTS (SELECT 1 FROM secret_device_value d
            WHERE d.secret = secret_version.secret AND d.version = secret_version.version)
        AND NOT EXISTS (SELECT 1 FROM secret_person_value p
            WHERE p.secret = secret_version.secret AND p.version = secret_version.version)
        """

    /// Forgets unused values with their keys, and of old versions all but the newest descriptions.
    static func forgetUnused(of name: String, keeping: Int, newest: Int, _ db: Database) throws {
        try forgetUnusedValues(of: name, db)
        try db.execute(
            sql: """
                DELETE FROM secret_version WHERE secret = ? AND version <= ? AND \(isUnused) AND \(hasNoValues)
                """,
            arguments: [name, newest - max(keeping, 1)])
    }

    /// Forgets unused values with their keys.
    ///
    /// In use are the present value for all and the present values of single devices and people.
    static func forgetUnusedValues(of name: String, _ db: Database) throws {
        try db.execute(
            sql: "UPDATE secret_version SET sealed = NULL WHERE secret = ? AND sealed IS NOT NULL AND \(isUnused)",
            arguments: [name])
        try db.execute(
            sql: """
                UPDATE secret_version SET master_key = NULL, wrapped_key = NULL
                WHERE secret = ? AND wrapped_key IS NOT NULL AND \(isUnused) AND \(hasNoValues)
                """,
            arguments: [name])
    }

    static func groups(withSecret name: String, _ db: Database) throws -> [String] {
        try String.fetchAll(
            db, sql: "SELECT DISTINCT group_name FROM secret_assignment WHERE secret = ?", arguments: [name])
    }
}
