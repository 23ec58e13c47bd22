package import Foundation
import GRDB
import Management

/// Which version of a configuration an app had as it counted.
extension SQLiteStore {
    /// Whether a life `f` has the version `:version` of the configuration `:name`, or a later one.
    ///
    /// Without a version it is true of all lives.
    static let isSinceVersion = "(:version IS NULL OR (f.name = :name AND f.version >= :version))"

    /// The version of the configuration that has this digest; nothing where none is known.
    ///
    /// What the device has comes first: where variables are filled in for it, no version has these bytes. Of versions with
    /// the same bytes the one that was made last counts.
    static func feedbackVersion(
        of digest: String, _ app: String, on device: String, _ db: Database
    ) throws -> FeedbackVersion? {
        guard !digest.isEmpty else { return nil }
        let row = try Row.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT k.name AS name, k.version AS version FROM (
                        SELECT configuration AS name, version, 1 AS is_held, 0 AS created FROM configuration_on_device
                        WHERE enrollment = :device AND app = :app AND extension = '' AND digest = :digest
                        UNION ALL SELECT name, version, 0, created FROM configuration_version
                        WHERE sha256 = :digest AND app = :app
                    ) k ORDER BY k.is_held DESC, k.created DESC, k.version DESC, k.name LIMIT 1
                    """),
            arguments: ["device": device, "app": app, "digest": digest])
        return row.map { FeedbackVersion(configuration: $0["name"], number: $0["version"]) }
    }

    /// Keeps the version of lives that came before the device reported that it has this version.
    ///
    /// These are at most as many lives as are kept of one app on one device.
    static func keep(
        _ version: FeedbackVersion, of digest: String, _ app: String, on device: String, _ db: Database
    ) throws {
        try FeedbackMove.move(to: version, of: digest, app, on: device, db)
        try db.executeCached(
            sql: """
                UPDATE app_feedback SET name = ?, version = ?
                WHERE enrollment = ? AND app = ? AND configuration = ? AND version IS NULL
                """,
            arguments: [version.configuration, version.number, device, app, digest])
    }

    package func feedbackOfUnknownVersion(
        of app: String, counting key: String?, since: Foundation.Date
    ) async throws -> Int {
        try await readAside { db in
            // Lives of an hour that began before are looked at one by one; the sums have those of whole hours.
            let hour = FeedbackCount.hourSeconds
            let whole = (since.seconds + hour - 1) / hour * hour
            let some = try Int.fetchOne(
                db,
                sql: """
                    SELECT COUNT(*) FROM app_feedback f
                    WHERE f.app = :app AND f.ended >= :since AND f.ended < :whole AND f.version IS NULL
                    AND (:key IS NULL OR EXISTS (
                        SELECT 1 FROM feedback_number n WHERE n.feedback = f.number AND n.key = :key))
                    """,
                arguments: ["app": app, "since": since.seconds, "whole": whole, "key": key])
            let others = try Int.fetchOne(
                db,
                sql: """
                    SELECT SUM(s.lives) \(SummedSpan.tables)
                    AND s.scope IN (\(key == nil ? "3, 4" : "0, 1")) AND s.key = :key AND s.name = ''
                    """,
                arguments: SummedSpan(app, since: whole).arguments + ["key": key ?? ""])
            return (some ?? 0) + (others ?? 0)
        }
    }
}
