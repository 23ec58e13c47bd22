package import Foundation
import GRDB
package import Management

extension SQLiteStore {
    private static let hour: Int64 = 3_600

    package func recordHeld(
        _ held: [HeldConfiguration], of device: String, toldOf holders: [ConfigurationHolder], now: Foundation.Date
    ) async throws {
        // Most often it is as it was, and nobody waits for the writer then.
        let known = try await read { db in try Self.digests(on: device, db) }
        let stays = Set(holders)
        guard held.contains(where: { known[$0.holder] != $0.digest }) || !stays.isSuperset(of: known.keys) else {
            return
        }
        try await write { db in
            let known = try Self.digests(on: device, db)
            var changed: Set<ConfigurationCount> = []
            for holder in known.keys where !stays.contains(holder) {
                try Self.forget(holder, on: device, &changed, db)
            }
            for one in held where known[one.holder] != one.digest {
                try Self.forget(one.holder, on: device, &changed, db)
                let (app, its) = (one.holder.app, one.holder.extension ?? "")
                let found = try Self.configuration(of: one.digest, app, extension: its, device, db)
                guard let name = found.name, let version = found.version else { continue }
                try db.executeCached(
                    sql: "INSERT INTO configuration_on_device VALUES (?, ?, ?, ?, ?, ?)",
                    arguments: [device, app, its, one.digest, name, version])
                if its.isEmpty {
                    let held = FeedbackVersion(configuration: name, number: version)
                    try Self.keep(held, of: one.digest, app, on: device, db)
                }
                changed.insert(ConfigurationCount(holder: one.holder, name: name, version: version))
                try Self.note(
                    .hold, of: device, app: app, configuration: name, version: version, db, now: now)
            }
            for count in changed { try Self.note(count, db, now: now) }
        }
    }

    /// What is counted together.
    private struct ConfigurationCount: Hashable {
        let holder: ConfigurationHolder
        let name: String
        let version: Int
    }

    private static func digests(on device: String, _ db: Database) throws -> [ConfigurationHolder: String] {
        let rows = try Row.fetchAll(
            db.cachedStatement(sql: "SELECT app, extension, digest FROM configuration_on_device WHERE enrollment = ?"),
            arguments: [device])
        return rows.reduce(into: [:]) { digests, row in
            digests[ConfigurationHolder(app: row["app"], extension: named(row["extension"]))] = row["digest"]
        }
    }

    /// The app itself is kept under the empty name.
    private static func named(_ extensionName: String) -> String? { extensionName.isEmpty ? nil : extensionName }

    private static func forget(
        _ holder: ConfigurationHolder, on device: String, _ changed: inout Set<ConfigurationCount>, _ db: Database
    ) throws {
        let place = "enrollment = ? AND app = ? AND extension = ?"
        let arguments: StatementArguments = [device, holder.app, holder.extension ?? ""]
        let row = try Row.fetchOne(
            db.cachedStatement(sql: "SELECT configuration, version FROM configuration_on_device WHERE \(place)"),
            arguments: arguments)
        guard let row else { return }
        changed.insert(ConfigurationCount(holder: holder, name: row["configuration"], version: row["version"]))
        try db.executeCached(sql: "DELETE FROM configuration_on_device WHERE \(place)", arguments: arguments)
    }

    /// The number of this hour is the last of it.
    private static func note(_ count: ConfigurationCount, _ db: Database, now: Foundation.Date) throws {
        try db.executeCached(
            sql: """
                INSERT INTO configuration_adoption VALUES (:app, :name, :extension, :version, :hour, COALESCE((
                    SELECT devices FROM configuration_count WHERE app = :app AND configuration = :name
                        AND extension = :extension AND version = :version), 0))
                ON CONFLICT (app, configuration, extension, version, hour) DO UPDATE SET devices = excluded.devices
                """,
            arguments: [
                "app": count.holder.app, "name": count.name, "extension": count.holder.extension ?? "",
                "version": count.version, "hour": now.seconds / hour,
            ])
    }

    package func adoption(
        of app: String, configuration name: String, since: Foundation.Date
    ) async throws -> Adoption? {
        try await read { db in
            guard try Self.version(app, name, nil, db) != nil else { return nil }
            let first = since.seconds / Self.hour
            let place: StatementArguments = ["app": app, "name": name]
            let holders = try String.fetchAll(
                db.cachedStatement(
                    sql: """
                        SELECT extension FROM configuration_count WHERE app = :app AND configuration = :name
                        UNION SELECT extension FROM configuration_adoption WHERE app = :app AND configuration = :name
                        ORDER BY extension LIMIT \(Adoption.holders)
                        """), arguments: place)
            let versions = try holders.flatMap { try Self.versions(of: $0, place, db) }
            let points = try versions.flatMap { try Self.points(of: $0, place, from: first, db) }
            return Adoption(
                since: Foundation.Date(timeIntervalSince1970: TimeInterval(first * Self.hour)), versions: versions,
                points: points.sorted {
                    ($0.time, $0.extension ?? "", $0.version) < ($1.time, $1.extension ?? "", $1.version)
                })
        }
    }

    private static func versions(
        of holder: String, _ place: StatementArguments, _ db: Database
    ) throws -> [Adoption.Version] {
        let its = "app = :app AND configuration = :name AND extension = :extension"
        return try Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT v.version, COALESCE(c.devices, 0) AS devices FROM (
                        SELECT version FROM configuration_count WHERE \(its)
                        UNION SELECT version FROM configuration_adoption WHERE \(its)
                    ) v LEFT JOIN configuration_count c ON \(its) AND c.version = v.version
                    ORDER BY v.version DESC LIMIT \(Adoption.versions)
                    """),
            arguments: place &+ ["extension": holder]
        ).map { Adoption.Version(extension: named(holder), version: $0["version"], devices: $0["devices"]) }
    }

    /// Each at the beginning of its hour; in the hour in which the version was stored, when it was stored.
    private static func points(
        of version: Adoption.Version, _ place: StatementArguments, from first: Int64, _ db: Database
    ) throws -> [Adoption.Point] {
        let its = "app = :app AND configuration = :name AND extension = :extension AND version = :version"
        let stored = try Row.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT created FROM configuration_version WHERE app = :app AND name = :name AND version = :version
                    """), arguments: place &+ ["version": version.version]
        ).map { $0.date("created") }
        return try Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT MAX(hour, :first) AS hour, devices FROM configuration_adoption
                    WHERE \(its) AND hour >= COALESCE((
                        SELECT MAX(hour) FROM configuration_adoption WHERE \(its) AND hour <= :first), :first)
                    ORDER BY 1
                    """),
            arguments: place &+ [
                "extension": version.extension ?? "", "version": version.version, "first": first,
            ]
        ).map { row in
            let number: Int64 = row["hour"]
            let begin = Foundation.Date(timeIntervalSince1970: TimeInterval(number * hour))
            let isFirst = stored.map { $0.seconds / hour == number } ?? false
            return Adoption.Point(
                time: isFirst ? stored ?? begin : begin,
                extension: version.extension, version: version.version, devices: row["devices"])
        }
    }

    /// Of each version the newest number of before stays: it still holds.
    func pruneAdoption(before limit: Foundation.Date) async throws {
        let hour = limit.seconds / Self.hour
        try await remove(
            Sweep(
                table: "configuration_adoption", time: "hour",
                key: ["app", "configuration", "extension", "version"],
                condition: """
                    (EXISTS (SELECT 1 FROM configuration_adoption n
                        WHERE n.app = configuration_adoption.app
                            AND n.configuration = configuration_adoption.configuration
                            AND n.extension = configuration_adoption.extension
                            AND n.version = configuration_adoption.version
                            AND n.hour > configuration_adoption.hour AND n.hour <= \(hour))
                    OR NOT EXISTS (SELECT 1 FROM configuration_count c
                        WHERE c.app = configuration_adoption.app
                            AND c.configuration = configuration_adoption.configuration
                            AND c.extension = configuration_adoption.extension
                            AND c.version = configuration_adoption.version))
                    """), before: hour - 1)
    }
}
