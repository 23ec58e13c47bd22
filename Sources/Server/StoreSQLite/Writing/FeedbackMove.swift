import GRDB
import Management

/// Moves what a device counted with a dictionary to the version that this dictionary is, once that is known.
///
/// A device may hand feedback over before it reports which version it has.
struct FeedbackMove {
    /// A row in an interval from which the device goes.
    private struct Place: Hashable {
        let interval: Int64
        let series: CountedSeries
    }

    private let device: String
    private let app: String
    private let digest: String
    private let db: Database
    private var left: Set<Place> = []

    private init(_ device: String, _ app: String, _ digest: String, _ db: Database) {
        (self.device, self.app, self.digest, self.db) = (device, app, digest, db)
    }

    /// Moves the lives with this dictionary that have no version; called before they get it.
    static func move(
        to version: FeedbackVersion, of digest: String, _ app: String, on device: String, _ db: Database
    ) throws {
        var move = FeedbackMove(device, app, digest, db)
        let lives = try move.lives()
        guard !lives.isEmpty else { return }
        for life in lives { try move.subtract(life) }
        try move.forget()
        for life in lives { try FeedbackCount.add(life.known(as: version), isKnownAlready: true, db) }
    }

    /// The lives that are in the sums, in the order in which they ended.
    private func lives() throws -> [CountedLife] {
        let rows = try Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT \(CountedLife.columns) FROM app_feedback INDEXED BY app_feedback_by_device
                    WHERE enrollment = ? AND app = ? AND configuration = ? AND version IS NULL AND is_summed
                    ORDER BY +ended, number
                    """),
            arguments: [device, app, digest])
        return try rows.map { try CountedLife($0, db) }
    }

    private mutating func subtract(_ life: CountedLife) throws {
        var counted: [(CountedSeries, Double)] = [(life.series(.life), 0)]
        for (key, value) in life.numbers { counted.append((life.series(.number, key), value)) }
        let hour = try FeedbackCount.known(FeedbackCount.hourSeconds, life.hour, of: app, db)
        let day = try FeedbackCount.known(FeedbackCount.daySeconds, life.day, of: app, db)
        for (series, value) in counted {
            for interval in [hour, day].compactMap(\.self) {
                try subtract(value, from: series, in: interval)
            }
        }
    }

    private mutating func subtract(_ value: Double, from series: CountedSeries, in interval: Int64) throws {
        let isFirst = left.insert(Place(interval: interval, series: series)).inserted
        for row in [series, series.folded] {
            try db.executeCached(
                sql: """
                    UPDATE feedback_sum SET sum = MAX(MIN(sum - ?, 1e300), -1e300), lives = lives - 1,
                        devices = MAX(devices - ?, 0)
                    WHERE interval = ? AND \(CountedSeries.condition)
                    """,
                arguments: [value, isFirst, interval] + row.arguments)
            guard db.changesCount > 0 else { continue }
            try db.executeCached(
                sql: "DELETE FROM feedback_sum WHERE interval = ? AND \(CountedSeries.condition) AND lives <= 0",
                arguments: [interval] + row.arguments)
            return
        }
    }

    /// The device has nothing more to do with the rows of the unknown version.
    private func forget() throws {
        let condition = """
            enrollment = ? AND app = ? AND scope IN (0, 3) AND configuration = ? AND name = '' AND version = 0
            """
        let rows = try Row.fetchAll(
            db.cachedStatement(sql: "SELECT scope, key, latest, is_folded FROM feedback_device WHERE \(condition)"),
            arguments: [device, app, digest])
        for row in rows {
            guard let scope = CountedSeries.Scope(rawValue: row["scope"]) else { continue }
            let series = CountedSeries(scope: scope, key: row["key"], configuration: digest)
            try FeedbackCount.leave(series, row["latest"], isFolded: row["is_folded"], of: app, db)
        }
        try db.executeCached(
            sql: "DELETE FROM feedback_device WHERE \(condition)", arguments: [device, app, digest])
    }
}
