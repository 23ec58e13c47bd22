import Foundation
import GRDB
package import Management

extension SQLiteStore {
    package func refusals(on device: String) async throws -> [ConfigurationRefusal] {
        try await read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT r.*, since AS first, since AS last, (SELECT COUNT(*) FROM refusal o WHERE \(Self.isSame)) AS devices
                    FROM refusal r WHERE enrollment = ? ORDER BY app, extension
                    """,
                arguments: [device]
            ).map(Self.refusal)
        }
    }

    package func refusals(of app: String, limit: Int) async throws -> [ConfigurationRefusal] {
        try await read { db in
            // The words are those of the device that the largest `since` belongs to.
            try Row.fetchAll(
                db,
                sql: """
                    SELECT k.*, r.key_path_supplied, r.message FROM (
                        SELECT app, extension, app_version, configuration, configuration_version, code, key_path,
                            COUNT(*) AS devices, MIN(since) AS first, MAX(since) AS last
                        FROM refusal WHERE app = ? GROUP BY 1, 2, 3, 4, 5, 6, 7
                        ORDER BY devices DESC, last DESC, extension, app_version, configuration, code, key_path LIMIT ?
                    ) k JOIN refusal r ON (r.enrollment, r.app, r.extension) = (
                        SELECT o.enrollment, o.app, o.extension FROM refusal o
                        WHERE \(Self.isSame(as: "k")) AND o.since = k.last LIMIT 1
                    ) ORDER BY devices DESC, last DESC, k.extension, k.app_version, k.configuration, k.code, k.key_path
                    """,
                arguments: [app, limit]
            ).map(Self.refusal)
        }
    }

    package func versions(of app: String, limit: Int) async throws -> [AppVersionCount] {
        try await read { db in
            try Row.fetchAll(
                db,
                sql: "SELECT version, devices FROM app_version WHERE app = ? ORDER BY devices DESC, version LIMIT ?",
                arguments: [app, limit]
            ).map { AppVersionCount(version: $0["version"], devices: $0["devices"]) }
        }
    }

    package func versions(
        of app: String, among versions: [String], on use: ConfigurationUse
    ) async throws -> [AppVersionCount] {
        let list = String(decoding: try JSONEncoder().encode(versions), as: UTF8.self)
        let (condition, name): (String, String) =
            switch use {
            case .device(let device): ("(e.key = :name OR e.parent = :name)", device)
            case .group(let group):
                (
                    """
                    EXISTS (SELECT 1 FROM enrollment_group g
                        WHERE g.enrollment = COALESCE(e.parent, e.key) AND g.group_name = :name)
                    """, group
                )
            case .configuration(let name):
                (
                    """
                    EXISTS (SELECT 1 FROM (
                        SELECT a.group_name, a.configuration FROM enrollment_group g
                        JOIN assignment a ON a.group_name = g.group_name AND a.app = d.app
                        WHERE g.enrollment = COALESCE(e.parent, e.key) ORDER BY \(Self.decidingOrder) LIMIT 1
                    ) w WHERE w.configuration = :name OR EXISTS (SELECT 1 FROM extension_configuration x
                        WHERE x.group_name = w.group_name AND x.app = d.app AND x.configuration = :name))
                    """, name
                )
            }
        return try await read { db in
            try Row.fetchAll(
                db,
                sql: """
                    SELECT d.version AS version, COUNT(*) AS devices FROM app_on_device d
                    JOIN enrollment e ON e.key = d.enrollment
                    WHERE d.app = :app AND d.version IN (SELECT value FROM json_each(:versions)) AND \(condition)
                    GROUP BY d.version ORDER BY devices DESC, version
                    """,
                arguments: ["app": app, "versions": list, "name": name]
            ).map { AppVersionCount(version: $0["version"], devices: $0["devices"]) }
        }
    }

    /// Assignments from the one that counts on.
    static let decidingOrder = "a.priority DESC, a.position DESC"

    /// Keeps what a report says of apps; what is as it was is not written again.
    ///
    /// `order` is that of assignments, from the one that counts on; it was another one before there were priorities.
    /// Answers which refusals are new and which are gone, and the apps that are beyond the bounds of one device: nothing of
    /// them is kept here, until a later report says it again.
    @discardableResult
    static func keep(
        _ report: ReportedApps, of device: String, orderedBy order: String = decidingOrder, _ db: Database,
        now: Foundation.Date
    ) throws -> (refusals: [RefusalChange], leftOut: [String]) {
        var changes: [RefusalChange] = []
        func gone(_ app: String, _ row: Row) {
            changes.append(
                RefusalChange(
                    app: app, configuration: row["configuration"], version: row["configuration_version"], stands: false)
            )
        }
        var versions: [String: String] = [:]
        for row in try Row.fetchAll(
            db.cachedStatement(sql: "SELECT app, version FROM app_on_device WHERE enrollment = ?"),
            arguments: [device])
        { versions[row["app"]] = row["version"] }
        var standing: [String: [String: Row]] = [:]
        for row in try Row.fetchAll(
            db.cachedStatement(sql: "SELECT * FROM refusal WHERE enrollment = ?"), arguments: [device])
        { standing[row["app"], default: [:]][row["extension"]] = row }

        var bounds = ToldApart(Set(versions.keys).union(standing.keys))
        if report.isWhole {
            let named = Set(report.apps.map(\.identifier))
            for app in versions.keys.sorted() where !named.contains(app) && bounds.mayChange(app) {
                try removeApp(app, from: device, db)
                bounds.forget(app)
            }
            for (app, refusals) in standing where !named.contains(app) {
                for (name, row) in refusals {
                    try remove(RefusalPlace(app: app, extension: name), from: device, db)
                    gone(app, row)
                }
                bounds.forget(app)
            }
        }
        for app in report.apps {
            guard bounds.tells(app.identifier) else { continue }
            let known = versions.removeValue(forKey: app.identifier)
            if known != app.version {
                guard bounds.mayChange(app.identifier) else { continue }
                if known != nil { try removeApp(app.identifier, from: device, db) }
                if let version = app.version {
                    try db.executeCached(
                        sql: "INSERT INTO app_on_device VALUES (?, ?, ?)", arguments: [device, app.identifier, version])
                }
            }
            var before = standing.removeValue(forKey: app.identifier) ?? [:]
            for refusal in app.refusals {
                let place = RefusalPlace(app: app.identifier, extension: refusal.extension ?? "")
                let known = before.removeValue(forKey: place.extension)
                let refused = try keep(
                    refusal, known, place, app.version, of: device, orderedBy: order, db, now: now)
                guard let refused else { continue }
                changes.append(
                    RefusalChange(
                        app: app.identifier, configuration: refused.name, version: refused.version, stands: true))
            }
            for (name, row) in before {
                try remove(RefusalPlace(app: app.identifier, extension: name), from: device, db)
                gone(app.identifier, row)
            }
        }
        return (changes, bounds.leftOut)
    }

    /// The apps of a device that are counted one by one, and how many of them a report may still change: each change
    /// costs a few rows while other writers wait.
    private struct ToldApart {
        private var apps: Set<String>
        private var changes = StatusLimits.appChanges
        private(set) var leftOut: [String] = []

        init(_ known: Set<String>) { apps = known }

        /// Whether there is room for the app, or it has its room already.
        mutating func tells(_ app: String) -> Bool {
            if apps.contains(app) { return true }
            guard apps.count < StatusLimits.apps else {
                leftOut.append(app)
                return false
            }
            apps.insert(app)
            return true
        }

        mutating func mayChange(_ app: String) -> Bool {
            guard changes > 0 else {
                leftOut.append(app)
                return false
            }
            changes -= 1
            return true
        }

        mutating func forget(_ app: String) { apps.remove(app) }
    }

    private struct RefusalPlace {
        let app: String
        let `extension`: String
    }

    private static func removeApp(_ app: String, from device: String, _ db: Database) throws {
        try db.executeCached(
            sql: "DELETE FROM app_on_device WHERE enrollment = ? AND app = ?", arguments: [device, app])
    }

    private static func remove(_ place: RefusalPlace, from device: String, _ db: Database) throws {
        try db.executeCached(
            sql: "DELETE FROM refusal WHERE enrollment = ? AND app = ? AND extension = ?",
            arguments: [device, place.app, place.extension])
    }

    /// A refusal that is repeated keeps the time since when it stands; only the app's words may change.
    ///
    /// Answers what is refused if it is another refusal than before.
    private static func keep(
        _ refusal: ReportedRefusal, _ known: Row?, _ place: RefusalPlace, _ version: String?, of device: String,
        orderedBy order: String, _ db: Database, now: Foundation.Date
    ) throws -> (name: String?, version: Int?)? {
        if let known, known["digest"] == refusal.digest, known["app_version"] == version,
            known["code"] == refusal.code, known["key_path"] == refusal.keyPath
        {
            guard known["message"] != refusal.message else { return nil }
            try db.executeCached(
                sql: "UPDATE refusal SET message = ? WHERE enrollment = ? AND app = ? AND extension = ?",
                arguments: [refusal.message, device, place.app, place.extension])
            return nil
        }
        if known != nil {
            try remove(place, from: device, db)
        } else {
            let count = try Int.fetchOne(
                db.cachedStatement(sql: "SELECT COUNT(*) FROM refusal WHERE enrollment = ?"), arguments: [device])
            guard (count ?? 0) < ReportedRefusal.mostPerDevice else { return nil }
        }
        let refused = try configuration(
            of: refusal.digest, place.app, extension: place.extension, device, orderedBy: order, db)
        try db.executeCached(
            sql: "INSERT INTO refusal VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            arguments: [
                device, place.app, place.extension, version, refusal.digest, refused.name, refused.version,
                refusal.code, refusal.keyPath, refusal.isKeyPathSupplied, refusal.message, now.seconds,
            ])
        return refused
    }

    /// Which configuration a device speaks of: by its digest, that which is assigned before others of the same bytes; where
    /// the digest says nothing, because the device filled variables in or does not say it, that which is assigned.
    static func configuration(
        of digest: String?, _ app: String, extension name: String, _ device: String,
        orderedBy order: String = decidingOrder, _ db: Database
    ) throws -> (name: String?, version: Int?) {
        let assigned = try String.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT IIF(:extension = '', a.configuration, (SELECT x.configuration FROM extension_configuration x
                        WHERE x.group_name = a.group_name AND x.app = a.app AND x.extension = :extension))
                    FROM enrollment e JOIN enrollment_group g ON g.enrollment = COALESCE(e.parent, e.key)
                    JOIN assignment a ON a.group_name = g.group_name AND a.app = :app
                    WHERE e.key = :device ORDER BY \(order) LIMIT 1
                    """),
            arguments: ["device": device, "app": app, "extension": name])
        if let digest,
            let row = try Row.fetchOne(
                db.cachedStatement(
                    sql: """
                        SELECT name, version FROM configuration_version WHERE sha256 = ? AND app = ?
                        ORDER BY name IS ? DESC, version DESC LIMIT 1
                        """),
                arguments: [digest, app, assigned])
        {
            return (row["name"], row["version"])
        }
        guard let assigned, let present = try version(app, assigned, nil, db) else { return (assigned, nil) }
        return (assigned, digest == nil || present.variables != nil ? present.version : nil)
    }

    /// Whether the rows `o` and `r` tell of the same refusal.
    private static let isSame = isSame(as: "r")

    private static func isSame(as row: String) -> String {
        [
            "app", "extension", "app_version", "configuration", "configuration_version", "code", "key_path",
        ].map { "o.\($0) IS \(row).\($0)" }.joined(separator: " AND ")
    }

    private static func refusal(_ row: Row) -> ConfigurationRefusal {
        let name: String = row["extension"]
        return ConfigurationRefusal(
            app: row["app"], extension: name.isEmpty ? nil : name, appVersion: row["app_version"],
            configuration: row["configuration"], configurationVersion: row["configuration_version"],
            code: row["code"], keyPath: row["key_path"], isKeyPathSupplied: row["key_path_supplied"],
            message: row["message"], devices: row["devices"], first: row.date("first"), last: row.date("last"))
    }
}
