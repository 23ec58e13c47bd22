package import Foundation
import GRDB
import InputBounds
package import Management

extension SQLiteStore {
    package func putApp(_ app: App, author: String, now: Foundation.Date) async throws -> Changed<App> {
        try await write { db in
            let old = try Self.app(app.bundleIdentifier, db)
            try db.execute(
                sql: """
                    INSERT INTO app (bundle_identifier, name, team_identifier, revision) VALUES (?, ?, ?, 0)
                    ON CONFLICT (bundle_identifier) DO UPDATE
                    SET name = excluded.name, team_identifier = excluded.team_identifier
                    """,
                arguments: [app.bundleIdentifier, app.name, app.teamIdentifier])
            let new = App(
                bundleIdentifier: app.bundleIdentifier, name: app.name, teamIdentifier: app.teamIdentifier,
                revision: old?.revision ?? 0)
            if old != new {
                try Self.audit(
                    .setApp, app.bundleIdentifier,
                    ["name": .string(new.name), "team": new.teamIdentifier.map { .string($0) } ?? .null],
                    by: .administrator(author), db, now: now)
            }
            // The name is not told to devices.
            guard let old, old.teamIdentifier != new.teamIdentifier else { return Changed(new, groups: []) }
            return Changed(new, groups: try Self.touchGroups(of: app.bundleIdentifier, db, now: now))
        }
    }

    package func app(_ bundleIdentifier: String) async throws -> App? {
        try await read { db in try Self.app(bundleIdentifier, db) }
    }

    package func apps(_ page: PageRequest) async throws -> Page<App> {
        try await read { db in
            let rows = try Row.fetchAll(
                db, sql: "SELECT * FROM app WHERE bundle_identifier > ? ORDER BY bundle_identifier LIMIT ?",
                arguments: [page.after ?? "", page.limit + 1])
            return Page(cutting: rows.map(Self.app), to: page.limit, cursor: \.bundleIdentifier)
        }
    }

    package func requestUpdateCheck(
        of bundleIdentifier: String, author: String, now: Foundation.Date
    ) async throws -> Outcome<Changed<App>, AdminRefusal> {
        try await write { db in
            try db.execute(
                sql: "UPDATE app SET revision = revision + 1 WHERE bundle_identifier = ?", arguments: [bundleIdentifier]
            )
            guard let app = try Self.app(bundleIdentifier, db) else { return .refused(.unknownApp) }
            try Self.audit(.requestUpdateCheck, bundleIdentifier, by: .administrator(author), db, now: now)
            return .accepted(Changed(app, groups: try Self.touchGroups(of: bundleIdentifier, db, now: now)))
        }
    }

    package func removeApp(
        _ bundleIdentifier: String, author: String, now: Foundation.Date
    ) async throws -> AdminRefusal? {
        try await write { db in
            guard try Self.app(bundleIdentifier, db) != nil else { return .unknownApp }
            if try Bool.fetchOne(
                db, sql: "SELECT EXISTS (SELECT 1 FROM assignment WHERE app = ?)", arguments: [bundleIdentifier])
                == true
            {
                return .inUse("assignments")
            }
            try db.execute(sql: "DELETE FROM app WHERE bundle_identifier = ?", arguments: [bundleIdentifier])
            try Self.audit(.removeApp, bundleIdentifier, by: .administrator(author), db, now: now)
            return nil
        }
    }

    static func app(_ bundleIdentifier: String, _ db: Database) throws -> App? {
        try Row.fetchOne(db, sql: "SELECT * FROM app WHERE bundle_identifier = ?", arguments: [bundleIdentifier])
            .map(app)
    }

    private static func app(_ row: Row) -> App {
        App(
            bundleIdentifier: row["bundle_identifier"], name: row["name"], teamIdentifier: row["team_identifier"],
            revision: row["revision"])
    }

    static func touchGroups(
        of app: String, _ db: Database, now: Foundation.Date
    ) throws -> [String] {
        let groups = try String.fetchAll(db, sql: "SELECT group_name FROM assignment WHERE app = ?", arguments: [app])
        try touch(groups, db, now: now)
        return groups
    }
}
