import DeviceMessages
package import Foundation
import GRDB
import InputBounds
package import Management

extension SQLiteStore {
    package func assign(
        _ wish: AssignmentWish, author: String, now: Foundation.Date
    ) async throws -> Outcome<Changed<Assignment>, AdminRefusal> {
        try await write { db in
            let (app, group) = (wish.app, wish.group)
            guard try Self.groupExists(group, db) else { return .refused(.unknownGroup) }
            guard try Self.app(app, db) != nil else { return .refused(.unknownApp) }
            let names = (wish.configuration.map { [$0] } ?? []) + wish.extensions.values
            for name in names where try Self.version(app, name, nil, db) == nil {
                return .refused(.unknownConfiguration)
            }
            let present = try Self.assignment(app, group, db)
            guard wish.expected.holds(for: present) else { return .refused(.versionMoved(current: nil)) }
            let before = present?.priority
            let delivery: String? = wish.delivery == .framework ? nil : wish.delivery.rawValue
            try db.execute(
                sql: """
                    INSERT INTO assignment
                        (group_name, app, configuration, lowest_trust, install, priority, delivery, assigned, position)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, 1 + COALESCE((SELECT MAX(position) FROM assignment), 0))
                    ON CONFLICT (group_name, app) DO UPDATE SET configuration = excluded.configuration,
                        lowest_trust = excluded.lowest_trust, install = excluded.install, priority = excluded.priority,
                        delivery = excluded.delivery,
                        assigned = CASE WHEN ? THEN assignment.assigned ELSE excluded.assigned END,
                        position = CASE WHEN ? THEN assignment.position ELSE excluded.position END
                    """,
                arguments: [
                    group, app, wish.configuration, wish.lowestTrust == .launched ? nil : wish.lowestTrust.rawValue,
                    wish.install?.rawValue, wish.priority, delivery, now.seconds, wish.keepsPlace, wish.keepsPlace,
                ])
            try Self.setExtensions(wish.extensions, of: app, in: group, db)
            try Self.touch([group], db, now: now)
            try Self.audit(
                .setAssignment, "\(group)/\(app)", Self.details(of: wish), by: .administrator(author), db, now: now)
            guard let assignment = try Self.assignment(app, group, db) else { return .refused(.unknownAssignment) }
            guard let before, before != wish.priority else { return .accepted(Changed(assignment, groups: [group])) }
            // The priority counts for the app's secrets, too: others may be found in their places now.
            let secrets = try String.fetchAll(
                db, sql: "SELECT DISTINCT secret FROM secret_assignment WHERE app = ?", arguments: [app])
            let lost = try Self.revokeLost(in: group, secrets: secrets, author: author, db, now: now)
            return .accepted(Changed(assignment, groups: Set(lost + [group]).sorted()))
        }
    }

    private static func details(of wish: AssignmentWish) -> [String: JSONValue] {
        var details: [String: JSONValue] = [
            "configuration": wish.configuration.map { .string($0) } ?? .null,
            "lowestTrust": .string(wish.lowestTrust.rawValue), "priority": .integer(Int64(wish.priority)),
        ]
        details["install"] = wish.install.map { .string($0.rawValue) }
        if wish.delivery != .framework { details["delivery"] = .string(wish.delivery.rawValue) }
        if !wish.extensions.isEmpty { details["extensions"] = .object(wish.extensions.mapValues { .string($0) }) }
        if !wish.suspectedSecrets.isEmpty {
            details["suspectedSecrets"] = .array(wish.suspectedSecrets.map(JSONValue.string))
        }
        return details
    }

    package func unassign(
        app: String, from group: String, expected: ExpectedAssignment, author: String, now: Foundation.Date
    ) async throws -> Outcome<Changed<Assignment>, AdminRefusal> {
        try await write { db in
            guard let assignment = try Self.assignment(app, group, db) else { return .refused(.unknownAssignment) }
            guard expected.holds(for: assignment) else { return .refused(.versionMoved(current: nil)) }
            let secrets = try String.fetchAll(
                db, sql: "SELECT DISTINCT secret FROM secret_assignment WHERE group_name = ? AND app = ?",
                arguments: [group, app])
            try db.execute(
                sql: "DELETE FROM assignment WHERE group_name = ? AND app = ?", arguments: [group, app])
            try Self.touch([group], db, now: now)
            try Self.audit(.removeAssignment, "\(group)/\(app)", by: .administrator(author), db, now: now)
            let lost = try Self.revokeLost(in: group, secrets: secrets, author: author, db, now: now)
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

    package func candidates(inGroups groups: [String]) async throws -> [AssignmentCandidate] {
        let list = try Self.text(of: groups)
        return try await read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT a.*, c.current AS version,
                        (SELECT json_group_object(e.extension, e.configuration) FROM extension_configuration e
                            WHERE e.group_name = a.group_name AND e.app = a.app) AS extensions,
                        (SELECT json_group_object(e.extension, o.current) FROM extension_configuration e
                            JOIN configuration o ON o.app = e.app AND o.name = e.configuration
                            WHERE e.group_name = a.group_name AND e.app = a.app) AS extension_versions
                    FROM assignment a LEFT JOIN configuration c ON c.app = a.app AND c.name = a.configuration
                    WHERE a.group_name IN (SELECT value FROM json_each(?))
                    ORDER BY a.app, a.priority DESC, a.position DESC
                    """,
                arguments: [list]
            ).map { row in
                let versions: String = row["extension_versions"]
                return AssignmentCandidate(
                    assignment: try Self.assignment(row), version: row["version"],
                    extensionVersions: try JSONDecoder().decode([String: Int].self, from: Data(versions.utf8)))
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

    /// How far the app must be trusted; NULL stands for the highest degree.
    static func trust(_ row: Row) throws -> AppTrust {
        row["lowest_trust"] == nil ? .launched : try row.word("lowest_trust")
    }

    /// NULL stands for the source's own choice.
    static func install(_ row: Row) throws -> AppSource.Install? {
        row["install"] == nil ? nil : try row.word("install")
    }

    /// NULL stands for delivery by the framework.
    static func delivery(_ row: Row) throws -> Assignment.Delivery {
        row["delivery"] == nil ? .framework : try row.word("delivery")
    }

    private static func assignment(_ row: Row) throws -> Assignment {
        let extensions: String = row["extensions"]
        return Assignment(
            group: row["group_name"], app: row["app"], configuration: row["configuration"],
            extensions: try JSONDecoder().decode([String: String].self, from: Data(extensions.utf8)),
            lowestTrust: try trust(row), install: try install(row), priority: row["priority"],
            delivery: try delivery(row), assigned: row.date("assigned"), order: row["position"])
    }
}
