package import Foundation
import GRDB
import InputBounds
package import Management

extension SQLiteStore {
    /// What a digest takes.
    private static let digestBytes = 32
    /// Packages that one write transaction forgets: a record may be megabytes of digests.
    static let prunedAtOnce = 50

    package func addPackage(
        _ package: HostedPackage, chunks: [Data], as source: AppSource?, author: String, now: Foundation.Date
    ) async throws -> Outcome<Changed<HostedPackage>, AdminRefusal> {
        try await write { db in
            guard let app = try Self.app(package.app, db) else { return .refused(.unknownApp) }
            guard app.teamIdentifier == nil || app.teamIdentifier == package.team else {
                return .refused(.invalid(rule: "The package is signed by another team than the app's."))
            }
            var changes = false
            if let present = try Self.package(package.sha256, db) {
                guard present.app == package.app else { return .refused(.unknownPackage) }
            } else {
                try Self.add(package, chunks, db, now: now)
            }
            if app.teamIdentifier == nil {
                try db.execute(
                    sql: "UPDATE app SET team_identifier = ? WHERE bundle_identifier = ?",
                    arguments: [package.team, package.app])
                changes = true
            }
            if let source, try !Self.appSources(of: package.app, db).contains(source) {
                try Self.put(source, of: package.app, author: author, db, now: now)
                changes = true
            }
            guard let kept = try Self.package(package.sha256, db) else { throw TransactionLost() }
            return .accepted(Changed(kept, groups: changes ? try Self.touchGroups(of: package.app, db, now: now) : []))
        }
    }

    package func package(_ sha256: String) async throws -> HostedPackage? {
        try await read { db in try Self.package(sha256, db) }
    }

    package func packageChunks(_ sha256: String) async throws -> [Data]? {
        try await read { db in
            try Data.fetchOne(db, sql: "SELECT chunks FROM package WHERE sha256 = ?", arguments: [sha256])
        }.map { bytes in
            stride(from: 0, to: bytes.count, by: Self.digestBytes).map {
                Data(bytes.dropFirst($0).prefix(Self.digestBytes))
            }
        }
    }

    package func packages(of app: String) async throws -> Outcome<[HostedPackage], AdminRefusal> {
        try await read { db in
            guard try Self.app(app, db) != nil else { return .refused(.unknownApp) }
            let rows = try Row.fetchAll(
                db, sql: "SELECT * FROM package WHERE app = ? ORDER BY uploaded DESC, sha256", arguments: [app])
            return .accepted(rows.map(Self.package))
        }
    }

    package func packageDigests() async throws -> [String] {
        try await read { db in try String.fetchAll(db, sql: "SELECT sha256 FROM package ORDER BY sha256") }
    }

    package func removePackage(
        _ sha256: String, of app: String, author: String, now: Foundation.Date
    ) async throws -> AdminRefusal? {
        try await write { db in
            guard try Self.app(app, db) != nil else { return .unknownApp }
            guard let package = try Self.package(sha256, db), package.app == app else { return .unknownPackage }
            guard package.unusedSince != nil else { return .inUse("a source of the app") }
            try db.execute(sql: "DELETE FROM package WHERE sha256 = ?", arguments: [sha256])
            try Self.audit(.removePackage, "\(app)/\(sha256)", by: .administrator(author), db, now: now)
            return nil
        }
    }

    package func prunePackages(
        unusedSince limit: Foundation.Date, now: Foundation.Date
    ) async throws -> [String] {
        var removed: [String] = []
        while true {
            let part = try await write { db in try Self.pruneSome(unusedSince: limit, db, now: now) }
            removed += part
            guard part.count == Self.prunedAtOnce else { return removed }
        }
    }

    /// Removes the next packages that had their time, each with its entry in the audit log.
    private static func pruneSome(
        unusedSince limit: Foundation.Date, _ db: Database, now: Foundation.Date
    ) throws -> [String] {
        let rows = try Row.fetchAll(
            db,
            sql: """
                DELETE FROM package WHERE sha256 IN (
                    SELECT sha256 FROM package WHERE unused_since <= ? ORDER BY unused_since LIMIT ?
                ) RETURNING sha256, app
                """,
            arguments: [limit.seconds, prunedAtOnce])
        for row in rows {
            let (sha256, app): (String, String) = (row["sha256"], row["app"])
            try audit(.removePackage, "\(app)/\(sha256)", by: .server, db, now: now)
        }
        return rows.map { $0["sha256"] }
    }

    static func package(_ sha256: String, _ db: Database) throws -> HostedPackage? {
        try Row.fetchOne(db, sql: "SELECT * FROM package WHERE sha256 = ?", arguments: [sha256]).map(package)
    }

    /// Notes which packages of an app no source names any more, and since when.
    static func notePackagesInUse(of app: String, _ db: Database, now: Foundation.Date) throws {
        try db.execute(
            sql: """
                UPDATE package SET unused_since = CASE WHEN EXISTS (
                        SELECT 1 FROM app_source s WHERE s.origin = 'package' AND s.location = package.sha256
                    ) THEN NULL ELSE COALESCE(unused_since, ?) END
                WHERE app = ?
                """,
            arguments: [now.seconds, app])
    }

    private static func add(
        _ package: HostedPackage, _ chunks: [Data], _ db: Database, now: Foundation.Date
    ) throws {
        try db.execute(
            sql: "INSERT INTO package VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            arguments: [
                package.sha256, package.app, package.size, package.title, package.version, package.shortVersion,
                package.team, package.minimumOS?.description, package.minimumAgent?.description,
                chunks.reduce(Data(), +), package.author, package.uploaded.seconds, now.seconds,
            ])
        try audit(
            .addPackage, "\(package.app)/\(package.sha256)",
            [
                "size": .integer(Int64(package.size)), "team": .string(package.team),
                "version": .string(package.version),
            ], by: .administrator(package.author), db, now: now)
    }

    private static func package(_ row: Row) -> HostedPackage {
        HostedPackage(
            sha256: row["sha256"], app: row["app"], size: row["size"], title: row["title"], version: row["version"],
            shortVersion: row["short_version"], team: row["team"], minimumOS: version(row, "minimum_os"),
            minimumAgent: version(row, "minimum_agent"), author: row["author"], uploaded: row.date("uploaded"),
            unusedSince: row.optionalDate("unused_since"))
    }
}
