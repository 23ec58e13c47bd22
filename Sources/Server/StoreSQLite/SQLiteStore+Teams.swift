package import Foundation
import GRDB
import InputBounds
package import Management

extension SQLiteStore {
    package func addTeam(
        _ team: Team, limit: Int, now: Foundation.Date
    ) async throws -> Outcome<Changed<Team>, AdminRefusal> {
        try await write { db in
            let present = try Self.teams(db)
            if let known = present.first(where: { $0.fingerprint == team.fingerprint }) {
                return .accepted(Changed(known, groups: []))
            }
            guard present.count < limit else {
                return .refused(.invalid(rule: "A fleet trusts at most \(limit) certificates of teams."))
            }
            try db.execute(
                sql: "INSERT INTO team VALUES (?, ?, ?, ?)",
                arguments: [team.fingerprint, team.der, team.author, team.added.seconds])
            try Self.audit(.addTeam, team.fingerprint, by: .administrator(team.author), db, now: now)
            return .accepted(Changed(team, groups: try Self.touchAllGroups(db, now: now)))
        }
    }

    package func teams() async throws -> [Team] {
        try await read { db in try Self.teams(db) }
    }

    package func removeTeam(
        _ fingerprint: String, author: String, now: Foundation.Date
    ) async throws -> Outcome<Changed<Team>, AdminRefusal> {
        try await write { db in
            guard let team = try Self.teams(db).first(where: { $0.fingerprint == fingerprint }) else {
                return .refused(.unknownTeam)
            }
            try db.execute(sql: "DELETE FROM team WHERE fingerprint = ?", arguments: [fingerprint])
            try Self.audit(.removeTeam, fingerprint, by: .administrator(author), db, now: now)
            return .accepted(Changed(team, groups: try Self.touchAllGroups(db, now: now)))
        }
    }

    static func teams(_ db: Database) throws -> [Team] {
        try Row.fetchAll(db, sql: "SELECT * FROM team ORDER BY fingerprint").map { row in
            Team(
                fingerprint: row["fingerprint"], der: row["der"], author: row["author"], added: row.date("added"))
        }
    }

    /// Marks all groups, since a declaration of the whole fleet changed.
    private static func touchAllGroups(_ db: Database, now: Foundation.Date) throws -> [String] {
        let groups = try String.fetchAll(db, sql: "SELECT name FROM device_group ORDER BY name")
        try touch(groups, db, now: now)
        return groups
    }
}
