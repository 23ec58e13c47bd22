package import Foundation
import GRDB
package import Management

extension SQLiteStore {
    private static let hour: Int64 = 3_600

    package func recordHeld(
        _ held: [HeldConfiguration], of device: String, toldOf apps: [String], now: Foundation.Date
    ) async throws {
        // Most often it is as it was, and nobody waits for the writer then.
        let known = try await read { db in try Self.digests(on: device, db) }
        let stays = Set(apps)
        guard held.contains(where: { known[$0.app] != $0.digest }) || !stays.isSuperset(of: known.keys) else { return }
        try await write { db in
            let known = try Self.digests(on: device, db)
            var changed: Set<ConfigurationCount> = []
            for app in known.keys where !stays.contains(app) {
                try Self.forget(app, on: device, &changed, db)
            }
            for one in held where known[one.app] != one.digest {
                try Self.forget(one.app, on: device, &changed, db)
                let found = try Self.configuration(of: one.digest, one.app, extension: "", device, db)
                guard let name = found.name, let version = found.version else { continue }
                try db.executeCached(
                    sql: "INSERT INTO configuration_on_device VALUES (?, ?, ?, ?, ?)",
                    arguments: [device, one.app, one.digest, name, version])
                changed.insert(ConfigurationCount(app: one.app, name: name, version: version))
            }
            for count in changed { try Self.note(count, db, now: now) }
        }
    }

    /// What is counted together.
    private struct ConfigurationCount: Hashable {
        let app: String
        let name: String
        let version: Int
    }

    private static func digests(on device: String, _ db: Database) throws -> [String: String] {
        let rows = try Row.fetchAll(
            db.cachedStatement(sql: "SELECT app, digest FROM configuration_on_device WHERE enrollment = ?"),
            arguments: [device])
        return Dictionary(uniqueKeysWithValues: rows.map { ($0["app"], $0["digest"]) })
    }

    private static func forget(
        _ app: String, on device: String, _ changed: inout Set<ConfigurationCount>, _ db: Database
    ) throws {
        let row = try Row.fetchOne(
            db.cachedStatement(
                sql: "SELECT configuration, version FROM configuration_on_device WHERE enrollment = ? AND app = ?"),
            arguments: [device, app])
        guard let row else { return }
        changed.insert(ConfigurationCount(app: app, name: row["configuration"], version: row["version"]))
        try db.executeCached(
            sql: "DELETE FROM configuration_on_device WHERE enrollment = ? AND app = ?", arguments: [device, app])
    }

    /// The number of this hour is the last of it.
    private static func note(_ count: ConfigurationCount, _ db: Database, now: Foundation.Date) throws {
        try db.executeCached(
            sql: """
                INSERT INTO configuration_adoption VALUES (:app, :name, :version, :hour, COALESCE((
                    SELECT devices FROM configuration_count
                    WHERE app = :app AND configuration = :name AND version = :version), 0))
                ON CONFLICT (app, configuration, version, hour) DO UPDATE SET devices = excluded.devices
                """,
            arguments: ["app": count.app, "name": count.name, "version": count.version, "hour": now.seconds / hour])
    }

    package func adoption(
        of app: String, configuration name: String, since: Foundation.Date
    ) async throws -> Adoption? {
        try await read { db in
            guard try Self.version(app, name, nil, db) != nil else { return nil }
            let first = since.seconds / Self.hour
            let versions = try Row.fetchAll(
                db,
                sql: """
                    SELECT v.version, COALESCE(c.devices, 0) AS devices FROM (
                        SELECT version FROM configuration_count WHERE app = :app AND configuration = :name
                        UNION SELECT version FROM configuration_adoption WHERE app = :app AND configuration = :name
                    ) v LEFT JOIN configuration_count c
                        ON c.app = :app AND c.configuration = :name AND c.version = v.version
                    ORDER BY v.version DESC LIMIT :limit
                    """,
                arguments: ["app": app, "name": name, "limit": Adoption.versions]
            ).map { Adoption.Version(version: $0["version"], devices: $0["devices"]) }
            let points = try versions.flatMap { version in
                try Row.fetchAll(
                    db.cachedStatement(
                        sql: """
                            SELECT MAX(hour, :first) AS hour, devices FROM configuration_adoption
                            WHERE app = :app AND configuration = :name AND version = :version AND hour >= COALESCE((
                                SELECT MAX(hour) FROM configuration_adoption WHERE app = :app AND configuration = :name
                                    AND version = :version AND hour <= :first), :first)
                            ORDER BY 1
                            """),
                    arguments: ["app": app, "name": name, "version": version.version, "first": first]
                ).map { row in
                    Adoption.Point(
                        time: Foundation.Date(timeIntervalSince1970: TimeInterval((row["hour"] as Int64) * Self.hour)),
                        version: version.version, devices: row["devices"])
                }
            }
            return Adoption(
                since: Foundation.Date(timeIntervalSince1970: TimeInterval(first * Self.hour)), versions: versions,
                points: points.sorted { ($0.time, $0.version) < ($1.time, $1.version) })
        }
    }

    /// Of each version the newest number of before stays: it still holds.
    func pruneAdoption(before limit: Foundation.Date) async throws {
        while true {
            let removed = try await write { db in
                try db.execute(
                    sql: """
                        DELETE FROM configuration_adoption WHERE (app, configuration, version, hour) IN (
                            SELECT app, configuration, version, hour FROM configuration_adoption a
                            WHERE hour < :hour AND (
                                EXISTS (SELECT 1 FROM configuration_adoption n
                                    WHERE n.app = a.app AND n.configuration = a.configuration
                                        AND n.version = a.version AND n.hour > a.hour AND n.hour <= :hour)
                                OR NOT EXISTS (SELECT 1 FROM configuration_count c
                                    WHERE c.app = a.app AND c.configuration = a.configuration
                                        AND c.version = a.version)) LIMIT 2000)
                        """, arguments: ["hour": limit.seconds / Self.hour])
                return db.changesCount
            }
            if removed < 2_000 { return }
        }
    }
}
