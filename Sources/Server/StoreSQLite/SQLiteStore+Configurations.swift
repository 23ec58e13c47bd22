package import Foundation
import GRDB
import InputBounds
package import Management

extension SQLiteStore {
    package func putConfiguration(
        _ draft: ConfigurationDraft, expected: ExpectedVersion, keeping: Int
    ) async throws -> Outcome<Changed<StoredConfiguration>, AdminRefusal> {
        try await write { db in
            guard try Self.app(draft.app, db) != nil else { return .refused(.unknownApp) }
            let present = try Self.version(draft.app, draft.name, nil, db)
            guard expected.holds(for: present?.version) else {
                return .refused(.versionMoved(current: present?.version))
            }
            if let present, present.sha256 == draft.sha256, present.variables == draft.variables {
                return .accepted(
                    Changed(StoredConfiguration(version: present, isNew: false, warnings: []), groups: []))
            }
            try db.execute(
                sql: "INSERT OR IGNORE INTO file (sha256, bytes) VALUES (?, ?)", arguments: [draft.sha256, draft.bytes])
            let version = ConfigurationVersion(
                app: draft.app, name: draft.name, version: try Self.nextVersion(draft.app, draft.name, db),
                encoding: draft.encoding,
                size: draft.bytes.count, sha256: draft.sha256, variables: draft.variables, author: draft.author,
                created: draft.now, revertOf: nil)
            return .accepted(try Self.add(version, keeping: keeping, suspectedSecrets: draft.suspectedSecrets, db))
        }
    }

    package func revertConfiguration(
        app: String, name: String, to version: Int, expected: ExpectedVersion, author: String, keeping: Int,
        now: Foundation.Date, suspectedSecrets: [String]
    ) async throws -> Outcome<Changed<StoredConfiguration>, AdminRefusal> {
        try await write { db in
            guard try Self.app(app, db) != nil else { return .refused(.unknownApp) }
            guard let present = try Self.version(app, name, nil, db) else { return .refused(.unknownConfiguration) }
            guard expected.holds(for: present.version) else {
                return .refused(.versionMoved(current: present.version))
            }
            guard let old = try Self.version(app, name, version, db) else { return .refused(.unknownVersion) }
            if old.sha256 == present.sha256, old.variables == present.variables {
                return .accepted(
                    Changed(StoredConfiguration(version: present, isNew: false, warnings: []), groups: []))
            }
            let new = ConfigurationVersion(
                app: app, name: name, version: try Self.nextVersion(app, name, db), encoding: old.encoding,
                size: old.size,
                sha256: old.sha256, variables: old.variables, author: author, created: now, revertOf: old.version)
            return .accepted(try Self.add(new, keeping: keeping, suspectedSecrets: suspectedSecrets, db))
        }
    }

    package func configurations(
        of app: String, _ page: PageRequest
    ) async throws -> Outcome<Page<ConfigurationVersion>, AdminRefusal> {
        try await read { db in
            guard try Self.app(app, db) != nil else { return .refused(.unknownApp) }
            let versions = try Row.fetchAll(
                db,
                sql: """
                    SELECT v.* FROM configuration c
                    JOIN configuration_version v ON v.app = c.app AND v.name = c.name AND v.version = c.current
                    WHERE c.app = ? AND c.name > ? ORDER BY c.name LIMIT ?
                    """,
                arguments: [app, page.after ?? "", page.limit + 1]
            ).map(Self.version)
            return .accepted(Page(cutting: versions, to: page.limit, cursor: \.name))
        }
    }

    package func configuration(app: String, name: String, version: Int?) async throws -> ConfigurationDocument? {
        try await read { db in
            guard let found = try Self.version(app, name, version, db),
                let bytes = try Self.fileBytes(found.sha256, db)
            else { return nil }
            return ConfigurationDocument(version: found, bytes: bytes)
        }
    }

    package func configurationVersions(
        app: String, name: String, _ page: PageRequest
    ) async throws -> Outcome<Page<ConfigurationVersion>, AdminRefusal> {
        try await read { db in
            guard try Self.version(app, name, nil, db) != nil else { return .refused(.unknownConfiguration) }
            let before = page.after.flatMap { Int($0) } ?? Int.max
            let versions = try Row.fetchAll(
                db,
                sql: """
                    SELECT * FROM configuration_version WHERE app = ? AND name = ? AND version < ?
                    ORDER BY version DESC LIMIT ?
                    """,
                arguments: [app, name, before, page.limit + 1]
            ).map(Self.version)
            return .accepted(Page(cutting: versions, to: page.limit) { String($0.version) })
        }
    }

    package func removeConfiguration(
        app: String, name: String, expected: ExpectedVersion, author: String, now: Foundation.Date
    ) async throws -> AdminRefusal? {
        try await write { db in
            guard let present = try Self.version(app, name, nil, db) else { return .unknownConfiguration }
            guard expected.holds(for: present.version) else { return .versionMoved(current: present.version) }
            if try Bool.fetchOne(
                db,
                sql: """
                    SELECT EXISTS (SELECT 1 FROM assignment WHERE app = :app AND configuration = :name)
                        OR EXISTS (SELECT 1 FROM extension_configuration WHERE app = :app AND configuration = :name)
                    """,
                arguments: ["app": app, "name": name]) == true
            {
                return .inUse("assignments")
            }
            try db.execute(sql: "DELETE FROM configuration WHERE app = ? AND name = ?", arguments: [app, name])
            try Self.audit(.removeConfiguration, "\(app)/\(name)", by: .administrator(author), db, now: now)
            return nil
        }
    }

    static func version(_ app: String, _ name: String, _ version: Int?, _ db: Database) throws -> ConfigurationVersion?
    {
        try Row.fetchOne(
            db,
            sql: """
                SELECT * FROM configuration_version WHERE app = :app AND name = :name AND version = COALESCE(
                    :version, (SELECT current FROM configuration WHERE app = :app AND name = :name))
                """,
            arguments: ["app": app, "name": name, "version": version]
        ).map(Self.version)
    }

    static func fileBytes(_ sha256: String, _ db: Database) throws -> Data? {
        try Data.fetchOne(db, sql: "SELECT bytes FROM file WHERE sha256 = ?", arguments: [sha256])
    }

    /// Counts the versions of a name without starting again, so that what is made again is never taken for what was deleted: an
    /// administrator's `If-Match` and a kept copy name a version.
    private static func nextVersion(_ app: String, _ name: String, _ db: Database) throws -> Int {
        let next = try Int.fetchOne(
            db,
            sql: """
                INSERT INTO configuration_number (app, name, last) VALUES (?, ?, 1)
                ON CONFLICT (app, name) DO UPDATE SET last = last + 1 RETURNING last
                """,
            arguments: [app, name])
        guard let next else { throw TransactionLost() }
        return next
    }

    /// Makes a version the present one, forgets the oldest, and notes which groups change by it.
    private static func add(
        _ version: ConfigurationVersion, keeping: Int, suspectedSecrets: [String], _ db: Database
    ) throws -> Changed<StoredConfiguration> {
        try db.execute(
            sql: """
                INSERT INTO configuration (app, name, current) VALUES (?, ?, ?)
                ON CONFLICT (app, name) DO UPDATE SET current = excluded.current
                """,
            arguments: [version.app, version.name, version.version])
        try db.execute(
            sql: """
                INSERT INTO configuration_version
                (app, name, version, encoding, size, sha256, author, created, revert_of, variables)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                version.app, version.name, version.version, version.encoding.rawValue, version.size, version.sha256,
                version.author, version.created.seconds, version.revertOf, try version.variables.map(text),
            ])
        try db.execute(
            sql: "DELETE FROM configuration_version WHERE app = ? AND name = ? AND version <= ?",
            arguments: [version.app, version.name, version.version - max(keeping, 1)])
        let groups = try String.fetchAll(
            db,
            sql: """
                SELECT group_name FROM assignment WHERE app = :app AND configuration = :name
                UNION SELECT group_name FROM extension_configuration WHERE app = :app AND configuration = :name
                """,
            arguments: ["app": version.app, "name": version.name])
        try touch(groups, db, now: version.created)
        var details: [String: JSONValue] = [
            "version": .integer(Int64(version.version)), "sha256": .string(version.sha256),
        ]
        if let old = version.revertOf { details["revertOf"] = .integer(Int64(old)) }
        if !suspectedSecrets.isEmpty {
            details["suspectedSecrets"] = .array(suspectedSecrets.map(JSONValue.string))
        }
        try audit(
            version.revertOf == nil ? .setConfiguration : .revertConfiguration, "\(version.app)/\(version.name)",
            details, by: .administrator(version.author), db, now: version.created)
        return Changed(StoredConfiguration(version: version, isNew: true, warnings: []), groups: groups)
    }

    /// A list in JSON; nothing where devices get the configuration as it is.
    static func variables(_ row: Row) throws -> [String]? {
        try (row["variables"] as String?).map { try JSONDecoder().decode([String].self, from: Data($0.utf8)) }
    }

    private static func version(_ row: Row) throws -> ConfigurationVersion {
        ConfigurationVersion(
            app: row["app"], name: row["name"], version: row["version"], encoding: try row.word("encoding"),
            size: row["size"], sha256: row["sha256"], variables: try variables(row), author: row["author"],
            created: row.date("created"),
            revertOf: row["revert_of"])
    }
}
