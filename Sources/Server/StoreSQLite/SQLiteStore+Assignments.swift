package import DeviceMessages
package import Foundation
import GRDB
import InputBounds
package import Management

extension SQLiteStore {
    package func assign(
        app: String, configuration: String?, extensions: [String: String], lowestTrust: AppTrust, to group: String,
        author: String, now: Foundation.Date
    ) async throws -> Outcome<Changed<Assignment>, AdminRefusal> {
        try await write { db in
            guard try Self.groupExists(group, db) else { return .refused(.unknownGroup) }
            guard try Self.app(app, db) != nil else { return .refused(.unknownApp) }
            let names = (configuration.map { [$0] } ?? []) + extensions.values
            for name in names where try Self.version(app, name, nil, db) == nil {
                return .refused(.unknownConfiguration)
            }
            try db.execute(
                sql: """
                    INSERT INTO assignment (group_name, app, configuration, lowest_trust, assigned, position)
                    VALUES (?, ?, ?, ?, ?, 1 + COALESCE((SELECT MAX(position) FROM assignment), 0))
                    ON CONFLICT (group_name, app) DO UPDATE SET configuration = excluded.configuration,
                        lowest_trust = excluded.lowest_trust,
                        assigned = excluded.assigned, position = excluded.position
                    """,
                arguments: [
                    group, app, configuration, lowestTrust == .launched ? nil : lowestTrust.rawValue, now.seconds,
                ])
            try Self.setExtensions(extensions, of: app, in: group, db)
            try Self.touch([group], db, now: now)
            var details: [String: JSONValue] = [
                "configuration": configuration.map { .string($0) } ?? .null,
                "lowestTrust": .string(lowestTrust.rawValue),
            ]
            if !extensions.isEmpty { details["extensions"] = .object(extensions.mapValues { .string($0) }) }
            try Self.audit(
                .setAssignment, "\(group)/\(app)", details, by: .administrator(author), db, now: now)
            guard let assignment = try Self.assignment(app, group, db) else { return .refused(.unknownAssignment) }
            return .accepted(Changed(assignment, groups: [group]))
        }
    }

    package func unassign(
        app: String, from group: String, author: String, now: Foundation.Date
    ) async throws -> Outcome<Changed<Assignment>, AdminRefusal> {
        try await write { db in
            guard let assignment = try Self.assignment(app, group, db) else { return .refused(.unknownAssignment) }
            let secrets = try String.fetchAll(
                db, sql: "SELECT DISTINCT secret FROM secret_assignment WHERE group_name = ? AND app = ?",
                arguments: [group, app])
            try db.execute(
                sql: "DELETE FROM assignment WHERE group_name = ? AND app = ?", arguments: [group, app])
            try Self.touch([group], db, now: now)
            try Self.audit(.removeAssignment, "\(group)/\(app)", by: .administrator(author), db, now: now)
            let lost = try Self.revokeLost(
                .group(group, secrets: secrets), by: .administrator(author), db, now: now)
            return .accepted(Changed(assignment, groups: Set(lost + [group]).sorted()))
        }
    }

    package func assignment(app: String, group: String) async throws -> Assignment? {
        try await read { db in try Self.assignment(app, group, db) }
    }

    package func assignments(_ filter: AssignmentFilter, _ page: PageRequest) async throws -> Page<Assignment> {
        let after = (page.after ?? "").split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
        let afterGroup = after.first.map(String.init) ?? ""
        let afterApp = after.count == 2 ? String(after[1]) : ""
        return try await read { db in
            let rows = try Row.fetchAll(
                db,
                sql: """
                    \(Self.assignmentColumns) WHERE (group_name, app) > (:afterGroup, :afterApp)
                    AND (:group IS NULL OR group_name = :group) AND (:app IS NULL OR app = :app)
                    ORDER BY group_name, app LIMIT :limit
                    """,
                arguments: [
                    "afterGroup": afterGroup, "afterApp": afterApp, "group": filter.group, "app": filter.app,
                    "limit": page.limit + 1,
                ])
            return Page(cutting: try rows.map(Self.assignment), to: page.limit) {
                "\($0.group)/\($0.app)"
            }
        }
    }

    private static func assignment(_ app: String, _ group: String, _ db: Database) throws -> Assignment? {
        try Row.fetchOne(
            db, sql: "\(assignmentColumns) WHERE group_name = ? AND app = ?", arguments: [group, app]
        ).map(assignment)
    }

    /// With the configurations of extensions as one object, so that a list of assignments is one query.
    private static let assignmentColumns = """
        SELECT a.*, (SELECT json_group_object(extension, configuration) FROM extension_configuration e
            WHERE e.group_name = a.group_name AND e.app = a.app) AS extensions
        FROM assignment a
        """

    private static func setExtensions(
        _ extensions: [String: String], of app: String, in group: String, _ db: Database
    ) throws {
        try db.execute(
            sql: "DELETE FROM extension_configuration WHERE group_name = ? AND app = ?", arguments: [group, app])
        for (name, configuration) in extensions {
            try db.execute(
                sql: """
                    INSERT INTO extension_configuration (group_name, app, extension, configuration)
                    VALUES (?, ?, ?, ?)
                    """,
                arguments: [group, app, name, configuration])
        }
    }

    /// How far the app must be trusted; nothing is said where it is as far as can be.
    static func trust(_ row: Row) throws -> AppTrust {
        row["lowest_trust"] == nil ? .launched : try row.word("lowest_trust")
    }

    private static func assignment(_ row: Row) throws -> Assignment {
        let extensions: String = row["extensions"]
        return Assignment(
            group: row["group_name"], app: row["app"], configuration: row["configuration"],
            extensions: try JSONDecoder().decode([String: String].self, from: Data(extensions.utf8)),
            lowestTrust: try trust(row), assigned: row.date("assigned"), order: row["position"])
    }
}
