package import Foundation
import GRDB
import InputBounds
package import Management

extension SQLiteStore {
    package func putAppSource(
        _ source: AppSource, of app: String, author: String, now: Foundation.Date
    ) async throws -> Outcome<Changed<AppSource>, AdminRefusal> {
        try await write { db in
            guard try Self.app(app, db) != nil else { return .refused(.unknownApp) }
            if case .package(let sha256) = source.location, try Self.package(sha256, db)?.app != app {
                return .refused(.unknownPackage)
            }
            if try Self.appSources(of: app, db).contains(source) { return .accepted(Changed(source, groups: [])) }
            try Self.put(source, of: app, author: author, db, now: now)
            return .accepted(Changed(source, groups: try Self.touchGroups(of: app, db, now: now)))
        }
    }

    package func removeAppSource(
        _ platform: DevicePlatform, _ origin: AppSource.Origin, of app: String, author: String,
        now: Foundation.Date
    ) async throws -> Outcome<Changed<AppSource>, AdminRefusal> {
        try await write { db in
            guard try Self.app(app, db) != nil else { return .refused(.unknownApp) }
            let source = try Self.appSources(of: app, db).first { $0.platform == platform && $0.origin == origin }
            guard let source else { return .refused(.unknownAppSource) }
            try db.execute(
                sql: "DELETE FROM app_source WHERE app = ? AND platform = ? AND origin = ?",
                arguments: [app, platform.rawValue, origin.rawValue])
            try Self.notePackagesInUse(of: app, db, now: now)
            try Self.audit(
                .removeAppSource, "\(app)/\(platform.rawValue)/\(origin.rawValue)", by: .administrator(author), db,
                now: now)
            return .accepted(Changed(source, groups: try Self.touchGroups(of: app, db, now: now)))
        }
    }

    package func appSources(of app: String) async throws -> Outcome<[AppSource], AdminRefusal> {
        try await read { db in
            guard try Self.app(app, db) != nil else { return .refused(.unknownApp) }
            return .accepted(try Self.appSources(of: app, db))
        }
    }

    package func app(from origin: AppSource.Origin, at location: String) async throws -> String? {
        try await read { db in
            try String.fetchOne(
                db, sql: "SELECT app FROM app_source WHERE location = ? AND origin = ? ORDER BY app LIMIT 1",
                arguments: [location, origin.rawValue])
        }
    }

    /// Keeps a source that breaks no rule.
    static func put(
        _ source: AppSource, of app: String, author: String, _ db: Database, now: Foundation.Date
    ) throws {
        let (location, license): (String?, String?) =
            switch source.location {
            case .package(let sha256): (sha256, nil)
            case .manifest(let url): (url, nil)
            case .appStore(let id, let license): (id, license.rawValue)
            case .installed(let composed): (composed, nil)
            }
        try db.execute(
            sql: "INSERT OR REPLACE INTO app_source VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
            arguments: [
                app, source.platform.rawValue, source.origin.rawValue, location, license, source.install.rawValue,
                source.updates?.rawValue, source.minimumOS?.description, source.minimumAgent?.description,
            ])
        try notePackagesInUse(of: app, db, now: now)
        var details: [String: JSONValue] = ["install": .string(source.install.rawValue)]
        details["location"] = location.map { .string($0) }
        details["minimumOS"] = source.minimumOS.map { .string($0.description) }
        details["minimumAgent"] = source.minimumAgent.map { .string($0.description) }
        details["updates"] = source.updates.map { .string($0.rawValue) }
        try audit(
            .setAppSource, "\(app)/\(source.platform.rawValue)/\(source.origin.rawValue)", details,
            by: .administrator(author), db, now: now)
    }

    static func appSources(of app: String, _ db: Database) throws -> [AppSource] {
        try Row.fetchAll(db, sql: "SELECT * FROM app_source WHERE app = ?", arguments: [app])
            .map { try appSource($0) }
            .sorted { ($0.platform.rawValue, rank($0)) < ($1.platform.rawValue, rank($1)) }
    }

    /// The sources of all apps that are assigned to the groups; a package's own minimum versions count as well.
    static func appSources(inGroups list: String, _ db: Database) throws -> [String: [AppSource]] {
        let rows = try Row.fetchAll(
            db,
            sql: """
                SELECT s.*, p.minimum_os AS package_os, p.minimum_agent AS package_agent FROM app_source s
                LEFT JOIN package p ON s.origin = 'package' AND p.sha256 = s.location
                WHERE s.app IN (SELECT app FROM assignment WHERE group_name IN (SELECT value FROM json_each(?)))
                ORDER BY s.app, s.platform, s.origin
                """,
            arguments: [list])
        return try Dictionary(grouping: rows) { $0["app"] as String }.mapValues { rows in
            try rows.map { row in
                try appSource(row, atLeast: version(row, "package_os"), agent: version(row, "package_agent"))
            }
        }
    }

    private static func appSource(
        _ row: Row, atLeast system: SystemVersion? = nil, agent: SystemVersion? = nil
    ) throws -> AppSource {
        let origin: AppSource.Origin = try row.word("origin")
        let location: AppSource.Location =
            switch origin {
            case .package: .package(sha256: row["location"])
            case .manifest: .manifest(url: row["location"])
            case .appStore: .appStore(id: row["location"], license: try row.word("license"))
            case .installed: .installed(composed: row["location"])
            }
        return AppSource(
            platform: try row.word("platform"), location: location, install: try row.word("install"),
            updates: row["updates"] == nil ? nil : try row.word("updates"),
            minimumOS: [version(row, "minimum_os"), system].compactMap { $0 }.max(),
            minimumAgent: [version(row, "minimum_agent"), agent].compactMap { $0 }.max())
    }

    static func version(_ row: Row, _ column: String) -> SystemVersion? {
        (row[column] as String?).flatMap { SystemVersion($0) }
    }

    private static func rank(_ source: AppSource) -> Int {
        AppSource.Origin.allCases.firstIndex(of: source.origin) ?? 0
    }
}
