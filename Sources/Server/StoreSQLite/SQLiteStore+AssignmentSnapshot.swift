import Foundation
import GRDB
import Management

extension SQLiteStore {
    /// What is assigned to groups at this moment of the transaction: manifests are made of it, secrets released by it.
    static func assignmentSnapshot(_ groups: [String], _ db: Database) throws -> AssignmentSnapshot {
        let list = try text(of: groups)
        let secrets = try secretReferences(inGroups: list, db)
        let sources = try appSources(inGroups: list, db)
        let extensions = try extensionConfigurations(inGroups: list, db)
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT a.group_name, a.position, a.priority, a.install, a.lowest_trust, a.delivery, app.*, v.sha256,
                    v.size, v.encoding, v.variables
                FROM assignment a JOIN app ON app.bundle_identifier = a.app
                LEFT JOIN configuration c ON c.app = a.app AND c.name = a.configuration
                LEFT JOIN configuration_version v ON v.app = c.app AND v.name = c.name AND v.version = c.current
                WHERE a.group_name IN (SELECT value FROM json_each(?))
                """,
            arguments: [list])
        let entries = try rows.map { row in
            let app: String = row["bundle_identifier"]
            let place = Place(group: row["group_name"], app: app)
            return AssignmentSnapshot.Entry(
                group: place.group,
                app: App(
                    bundleIdentifier: app, name: row["name"], teamIdentifier: row["team_identifier"],
                    revision: row["revision"]),
                configuration: row["sha256"] == nil ? nil : try configurationReference(row),
                extensions: extensions[place] ?? [:], priority: row["priority"], order: row["position"],
                install: try install(row), secrets: secrets[place] ?? [],
                sources: sources[app] ?? [], lowestTrust: try trust(row), delivery: try delivery(row))
        }
        let changed = try Int64.fetchOne(
            db, sql: "SELECT MAX(changed) FROM device_group WHERE name IN (SELECT value FROM json_each(?))",
            arguments: [list])
        let era = try presentEra(db)
        let began = era?.began.seconds ?? 0
        return AssignmentSnapshot(
            entries: entries,
            changed: Foundation.Date(timeIntervalSince1970: TimeInterval(max(changed ?? 0, began))),
            teams: try teams(db).map(\.der), era: era?.id)
    }

    private static func configurationReference(
        _ row: Row
    ) throws -> AssignmentSnapshot.ConfigurationReference {
        AssignmentSnapshot.ConfigurationReference(
            sha256: row["sha256"], size: row["size"], encoding: try row.word("encoding"), variables: try variables(row))
    }

    private static func extensionConfigurations(
        inGroups list: String, _ db: Database
    ) throws -> [Place: [String: AssignmentSnapshot.ConfigurationReference]] {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT e.group_name, e.app, e.extension, v.sha256, v.size, v.encoding, v.variables
                FROM extension_configuration e
                JOIN configuration c ON c.app = e.app AND c.name = e.configuration
                JOIN configuration_version v ON v.app = c.app AND v.name = c.name AND v.version = c.current
                WHERE e.group_name IN (SELECT value FROM json_each(?))
                """,
            arguments: [list])
        var references: [Place: [String: AssignmentSnapshot.ConfigurationReference]] = [:]
        for row in rows {
            references[Place(group: row["group_name"], app: row["app"]), default: [:]][row["extension"]] =
                try configurationReference(row)
        }
        return references
    }

    private struct Place: Hashable {
        let group: String
        let app: String
    }

    private static func secretReferences(
        inGroups list: String, _ db: Database
    ) throws -> [Place: [AssignmentSnapshot.SecretReference]] {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT a.group_name, a.app, a.extension, a.kind AS app_kind, a.identifier, a.position, s.name, s.kind,
                    v.version, v.description, v.version IS NOT NULL AND v.wrapped_key IS NULL AS lacks_value,
                    EXISTS (SELECT 1 FROM secret_device_value d WHERE d.secret = s.name)
                        OR EXISTS (SELECT 1 FROM secret_person_value p WHERE p.secret = s.name) AS has_values,
                    EXISTS (SELECT 1 FROM identity_loss l WHERE l.secret = s.name) AS was_lost
                FROM secret_assignment a JOIN secret s ON s.name = a.secret
                LEFT JOIN secret_version v ON v.secret = s.name AND v.version = s.common
                WHERE a.group_name IN (SELECT value FROM json_each(?))
                """,
            arguments: [list])
        var references: [Place: [AssignmentSnapshot.SecretReference]] = [:]
        for row in rows {
            let name: String = row["extension"]
            let kind: Secret.Kind = try row.word("kind")
            let description: SecretDescription? = row["version"] == nil ? nil : try description(row)
            let isCertificate = kind == .certificate
            let hasValues: Bool = row["has_values"]
            let variables = description?.variables ?? []
            references[Place(group: row["group_name"], app: row["app"]), default: []].append(
                AssignmentSnapshot.SecretReference(
                    place: .init(
                        extension: name.isEmpty ? nil : name, kind: try row.word("app_kind"),
                        identifier: row["identifier"]),
                    secret: row["name"], kind: kind, version: row["version"], variables: variables,
                    allVariables: hasValues ? try variables + valueVariables(of: row["name"], db) : variables,
                    hasOwnValues: hasValues, wasLost: row["was_lost"],
                    sha256: isCertificate ? description?.fingerprint : nil,
                    size: isCertificate ? description?.size : nil, order: row["position"],
                    lacksValue: row["lacks_value"]))
        }
        return references
    }

    /// The variables in values of single devices and people.
    private static func valueVariables(of name: String, _ db: Database) throws -> [String] {
        try Row.fetchAll(
            db,
            sql: """
                SELECT description FROM secret_version v WHERE v.secret = ? AND (EXISTS (
                    SELECT 1 FROM secret_device_value d WHERE d.secret = v.secret AND d.version = v.version)
                    OR EXISTS (
                    SELECT 1 FROM secret_person_value p WHERE p.secret = v.secret AND p.version = v.version))
                """,
            arguments: [name]
        ).flatMap { try description($0).variables ?? [] }
    }
}
