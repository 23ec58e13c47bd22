package import Foundation
import GRDB
import InputBounds
package import Management

extension SQLiteStore {
    package func assignSecret(
        _ name: String, to slot: SecretSlot, author: String, now: Foundation.Date
    ) async throws -> Outcome<Changed<SecretAssignment>, AdminRefusal> {
        try await write { db in
            guard try Self.groupExists(slot.group, db) else { return .refused(.unknownGroup) }
            guard try Self.app(slot.app, db) != nil else { return .refused(.unknownApp) }
            guard let secret = try Self.secret(name, db) else { return .refused(.unknownSecret) }
            guard slot.kind.takes(secret.kind) else {
                return .refused(.invalid(rule: "A secret of this kind is not what the app asks for there."))
            }
            guard try Self.isAssigned(slot.app, slot.group, db) else { return .refused(.unknownAssignment) }
            let others = try Int.fetchOne(
                db,
                sql: "SELECT COUNT(*) FROM secret_assignment WHERE group_name = ? AND app = ? AND NOT (\(Self.slot))",
                arguments: [slot.group, slot.app] + Self.arguments(slot))
            guard (others ?? 0) < SecretLimits.perAssignment else {
                return .refused(
                    .invalid(rule: "An app is given at most \(SecretLimits.perAssignment) secrets in a group."))
            }
            if let present = try Self.secretAssignment(slot, db), present.secret == name,
                try !Self.isCovered(present, db)
            {
                // Said again, nothing changes: what was issued by it goes on.
                return .accepted(Changed(present, groups: []))
            }
            let covered = try String.fetchAll(
                db,
                sql: """
                    SELECT DISTINCT secret FROM secret_assignment
                    WHERE app = ? AND extension = ? AND kind = ? AND identifier = ? AND secret <> ?
                    """,
                arguments: [slot.app, slot.extension ?? "", slot.kind.rawValue, slot.identifier, name])
            try db.execute(
                sql: """
                    INSERT INTO secret_assignment
                    (group_name, app, extension, kind, identifier, secret, assigned, position)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                    ON CONFLICT (group_name, app, extension, kind, identifier) DO UPDATE SET secret = excluded.secret,
                        assigned = excluded.assigned, position = excluded.position
                    """,
                arguments: Self.arguments(slot) + [name, now.seconds, try Self.nextPosition(db)])
            try Self.touch([slot.group], db, now: now)
            guard let assignment = try Self.secretAssignment(slot, db) else { throw TransactionLost() }
            try Self.audit(.assignSecret, name, Self.details(slot), by: .administrator(author), db, now: now)
            let lost = try Self.revokeLost(in: slot.group, secrets: covered, author: author, db, now: now)
            return .accepted(Changed(assignment, groups: Set(lost + [slot.group]).sorted()))
        }
    }

    package func unassignSecret(
        from slot: SecretSlot, author: String, now: Foundation.Date
    ) async throws -> Outcome<Changed<SecretAssignment>, AdminRefusal> {
        try await write { db in
            guard let assignment = try Self.secretAssignment(slot, db) else {
                return .refused(.unknownSecretAssignment)
            }
            try db.execute(
                sql: "DELETE FROM secret_assignment WHERE \(Self.slot)", arguments: Self.arguments(slot))
            try Self.touch([slot.group], db, now: now)
            try Self.audit(
                .unassignSecret, assignment.secret, Self.details(slot), by: .administrator(author), db, now: now)
            let lost = try Self.revokeLost(
                in: slot.group, secrets: [assignment.secret], author: author, db, now: now)
            return .accepted(Changed(assignment, groups: Set(lost + [slot.group]).sorted()))
        }
    }

    package func secretAssignments(
        _ filter: SecretAssignmentFilter, _ page: PageRequest
    ) async throws -> Page<SecretAssignment> {
        try await read { db in
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT * FROM secret_assignment WHERE position > :after
                    AND (:group IS NULL OR group_name = :group) AND (:app IS NULL OR app = :app)
                    AND (:secret IS NULL OR secret = :secret) ORDER BY position LIMIT :limit
                    """,
                arguments: [
                    "after": page.after.flatMap { Int($0) } ?? 0, "group": filter.group, "app": filter.app,
                    "secret": filter.secret, "limit": page.limit + 1,
                ])
            return Page(cutting: try rows.map(Self.secretAssignment), to: page.limit) { String($0.order) }
        }
    }

    private static func nextPosition(_ db: Database) throws -> Int {
        let next = try Int.fetchOne(db, sql: "UPDATE secret_assignment_number SET last = last + 1 RETURNING last")
        guard let next else { throw TransactionLost() }
        return next
    }

    private static let slot = "group_name = ? AND app = ? AND extension = ? AND kind = ? AND identifier = ?"

    private static func arguments(_ slot: SecretSlot) -> StatementArguments {
        [slot.group, slot.app, slot.extension ?? "", slot.kind.rawValue, slot.identifier]
    }

    private static func details(_ slot: SecretSlot) -> [String: JSONValue] {
        var details: [String: JSONValue] = [
            "group": .string(slot.group), "app": .string(slot.app), "kind": .string(slot.kind.rawValue),
            "identifier": .string(slot.identifier),
        ]
        if let name = slot.extension { details["extension"] = .string(name) }
        return details
    }

    private static func secretAssignment(_ place: SecretSlot, _ db: Database) throws -> SecretAssignment? {
        try Row.fetchOne(
            db, sql: "SELECT * FROM secret_assignment WHERE \(slot)", arguments: arguments(place)
        ).map(secretAssignment)
    }

    private static func secretAssignment(_ row: Row) throws -> SecretAssignment {
        let name: String = row["extension"]
        return SecretAssignment(
            slot: SecretSlot(
                group: row["group_name"], app: row["app"], extension: name.isEmpty ? nil : name,
                kind: try row.word("kind"), identifier: row["identifier"]),
            secret: row["secret"], assigned: row.date("assigned"), order: row["position"])
    }

    /// Whether a later assignment of the same priority in another group may be found in its place: said again, this one
    /// would be.
    private static func isCovered(_ assignment: SecretAssignment, _ db: Database) throws -> Bool {
        let slot = assignment.slot
        return try Bool.fetchOne(
            db,
            sql: """
                SELECT EXISTS (SELECT 1 FROM secret_assignment s
                    JOIN assignment a ON a.group_name = s.group_name AND a.app = s.app
                    WHERE s.app = ? AND s.extension = ? AND s.kind = ? AND s.identifier = ? AND s.position > ?
                    AND a.priority = (SELECT priority FROM assignment WHERE group_name = ? AND app = ?))
                """,
            arguments: [
                slot.app, slot.extension ?? "", slot.kind.rawValue, slot.identifier, assignment.order, slot.group,
                slot.app,
            ]) == true
    }

    private static func isAssigned(_ app: String, _ group: String, _ db: Database) throws -> Bool {
        try Bool.fetchOne(
            db, sql: "SELECT EXISTS (SELECT 1 FROM assignment WHERE group_name = ? AND app = ?)",
            arguments: [group, app]) == true
    }
}
