import GRDB
import Management

/// Adds a life of feedback to the sums of its app, in the transaction that keeps the life.
///
/// The sums are by day, and for some days by hour. `CountedSeries` names a row. A device remembers the newest hour of each
/// row to which it added. Only by that a device counts once in an interval, and once in several: `devices` of a row are
/// those that added to it, `latest` are those of them that added to no later one.
struct FeedbackCount {
    static let hourSeconds: Int64 = 3_600
    static let daySeconds: Int64 = 86_400

    /// What a device remembers of a row.
    private struct Memory {
        /// The beginning of the newest hour.
        let latest: Int64
        /// Whether it was summed with other dictionaries then.
        let isFolded: Bool
    }

    private let life: CountedLife
    private let db: Database
    private let hour: Int64
    private let day: Int64
    /// Nil for a life that is too old for sums by hour.
    private let hourInterval: Int64?
    private let dayInterval: Int64
    private var remembered: [CountedSeries.Scope: Int]?
    private var isAloneInHour: Bool?
    private var isAloneInDay: Bool?
    private var isNewOnDevice = false

    private init(_ life: CountedLife, isKnownAlready: Bool, _ db: Database) throws {
        (self.life, self.db) = (life, db)
        (hour, day) = (life.hour, life.day)
        let isRecent = life.hour >= life.received - Int64(FeedbackLimits.hourlySeconds)
        // Hours that are forgotten are not begun again.
        if isKnownAlready {
            hourInterval = try Self.known(Self.hourSeconds, life.hour, of: life.app, db)
        } else {
            hourInterval = try isRecent ? Self.interval(Self.hourSeconds, life.hour, of: life.app, db) : nil
        }
        dayInterval = try Self.interval(Self.daySeconds, life.day, of: life.app, db)
    }

    /// Adds a life.
    ///
    /// A life whose version has become known is in the sums over all dictionaries already, and in no forgotten day.
    static func add(_ life: CountedLife, isKnownAlready: Bool = false, _ db: Database) throws {
        if try isKnownAlready && known(daySeconds, life.day, of: life.app, db) == nil { return }
        var count = try FeedbackCount(life, isKnownAlready: isKnownAlready, db)
        try count.add(isKnownAlready: isKnownAlready)
    }

    private mutating func add(isKnownAlready: Bool) throws {
        try count(life.series(.life), 0)
        var isLeftOut = false
        for (key, value) in life.numbers {
            guard try count(life.series(.number, key), value) else {
                isLeftOut = true
                continue
            }
            if !isKnownAlready { try count(CountedSeries(scope: .allOfNumber, key: key), value) }
        }
        if isLeftOut {
            try db.executeCached(
                sql: "UPDATE feedback_interval SET left_out = 1 WHERE number = ?", arguments: [dayInterval])
        }
        if isNewOnDevice { try forgetOldest() }
    }

    /// Whether it was added; a number beyond the bounds is not.
    @discardableResult
    private mutating func count(_ series: CountedSeries, _ value: Double) throws -> Bool {
        let before = try memory(of: series)
        guard let target = try row(for: series, before) else { return false }
        let isNewest = before.map { $0.latest < hour } ?? true
        let isFirstToday = before.map { $0.latest < day } ?? true
        var (isNewInHour, isNewInDay) = (isNewest, isFirstToday)
        if let before, before.latest > hour {
            // Lives come in order as a rule. For one that does not, any other life of that time counts as one of the series.
            isNewInHour = try isAloneThen(\.isAloneInHour, from: hour, Self.hourSeconds)
            isNewInDay = false
            if before.latest >= day + Self.daySeconds {
                isNewInDay = try isAloneThen(\.isAloneInDay, from: day, Self.daySeconds)
            }
        }
        if isNewest, let before {
            try Self.leave(series, before.latest, isFolded: before.isFolded, of: life.app, db)
        }
        let place = try isFirstToday ? nextPlace(series.scope) : Int.max
        let intervals: [(Int64?, Bool)] = [(hourInterval, isNewInHour), (dayInterval, isNewInDay)]
        for (interval, isNew) in intervals {
            guard let interval else { continue }
            try db.executeCached(
                sql: """
                    INSERT INTO feedback_sum (interval, scope, key, configuration, name, version, sum, lives, devices,
                        latest, place)
                    VALUES (?, ?, ?, ?, ?, ?, MAX(MIN(?, 1e300), -1e300), 1, ?, ?, ?)
                    ON CONFLICT (interval, scope, key, configuration, name, version) DO UPDATE SET
                        sum = MAX(MIN(sum + excluded.sum, 1e300), -1e300), lives = lives + 1,
                        devices = devices + excluded.devices, latest = latest + excluded.latest,
                        place = MIN(place, excluded.place)
                    """,
                arguments: [interval] + target.arguments + [value, isNew, isNewest, place])
        }
        if isNewest { try remember(series, isFolded: target != series, isNew: before == nil) }
        return true
    }

    // MARK: Which row

    /// The row that the life is added to in its day; nil beyond the bounds.
    ///
    /// A key that a specification names is always summed. A dictionary that is the bytes of a version has its own row
    /// then; all others have one while there is room, and are summed together beyond it.
    private mutating func row(for series: CountedSeries, _ before: Memory?) throws -> CountedSeries? {
        guard series.scope != .allOfNumber else { return series }
        if let before, before.latest >= day, before.latest < day + Self.daySeconds {
            return before.isFolded ? series.folded : series
        }
        if try exists(series) { return series }
        let isSpecified = try series.scope == .life || isNamed(series.key)
        if try isSpecified && isOfVersion() { return series }
        let isWithin = try openedByDevice() < FeedbackLimits.sumsOfDevice
        if try isWithin && open("opened", FeedbackLimits.sums) { return series }
        if try isSpecified || exists(series.folded) { return series.folded }
        return try isWithin && open("folded", FeedbackLimits.foldedSums) ? series.folded : nil
    }

    private func exists(_ series: CountedSeries) throws -> Bool {
        let found = try Bool.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT EXISTS (SELECT 1 FROM feedback_sum WHERE interval = ? AND \(CountedSeries.condition))
                    """),
            arguments: [dayInterval] + series.arguments)
        return found == true
    }

    private func isNamed(_ key: String) throws -> Bool {
        let found = try Bool.fetchOne(
            db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM feedback_named WHERE app = ? AND key = ?)"),
            arguments: [life.app, key])
        return found == true
    }

    /// Whether the dictionary is the bytes of a version: only administrators make more of these.
    private func isOfVersion() throws -> Bool {
        guard !life.configuration.isEmpty else { return true }
        let found = try Bool.fetchOne(
            db.cachedStatement(
                sql: "SELECT EXISTS (SELECT 1 FROM configuration_version WHERE sha256 = ? AND app = ?)"),
            arguments: [life.configuration, life.app])
        return found == true
    }

    /// Takes the place of one more row of the day, if there is one.
    private func open(_ column: String, _ most: Int) throws -> Bool {
        try db.executeCached(
            sql: "UPDATE feedback_interval SET \(column) = \(column) + 1 WHERE number = ? AND \(column) < ?",
            arguments: [dayInterval, most])
        return db.changesCount > 0
    }

    // MARK: The device

    private func memory(of series: CountedSeries) throws -> Memory? {
        let row = try Row.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT latest, is_folded FROM feedback_device
                    WHERE enrollment = ? AND app = ? AND \(CountedSeries.condition)
                    """),
            arguments: [life.device, life.app] + series.arguments)
        return row.map { Memory(latest: $0["latest"], isFolded: $0["is_folded"]) }
    }

    private mutating func remember(_ series: CountedSeries, isFolded: Bool, isNew: Bool) throws {
        if isNew { isNewOnDevice = true }
        try db.executeCached(
            sql: """
                INSERT INTO feedback_device (enrollment, app, scope, key, configuration, name, version, latest, is_folded)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                ON CONFLICT (enrollment, app, scope, key, configuration, name, version) DO UPDATE SET
                    latest = excluded.latest, is_folded = excluded.is_folded
                """,
            arguments: [life.device, life.app] + series.arguments + [hour, isFolded])
    }

    /// A device that adds to a great many rows counts twice in some; their sums stay right.
    private func forgetOldest() throws {
        try db.executeCached(
            sql: "DELETE FROM feedback_device WHERE enrollment = ? AND app = ? AND latest < ?",
            arguments: [life.device, life.app, life.received - Int64(FeedbackLimits.seconds) - Self.daySeconds])
        try db.executeCached(
            sql: """
                DELETE FROM feedback_device
                WHERE (enrollment, app, scope, key, configuration, name, version) IN (
                    SELECT enrollment, app, scope, key, configuration, name, version FROM feedback_device
                    WHERE enrollment = ? AND app = ? ORDER BY latest DESC LIMIT -1 OFFSET ?)
                """,
            arguments: [life.device, life.app, FeedbackLimits.remembered])
    }

    /// In which place among the device's rows of the day the next one is.
    private mutating func nextPlace(_ scope: CountedSeries.Scope) throws -> Int {
        var counts = try rowsToday()
        let place = (counts[scope] ?? 0) + 1
        counts[scope] = place
        remembered = counts
        return place
    }

    private mutating func openedByDevice() throws -> Int {
        let counts = try rowsToday()
        return (counts[.number] ?? 0) + (counts[.life] ?? 0)
    }

    private mutating func rowsToday() throws -> [CountedSeries.Scope: Int] {
        if let remembered { return remembered }
        let rows = try Row.fetchAll(
            db.cachedStatement(
                sql: """
                    SELECT scope, COUNT(*) AS count FROM feedback_device
                    WHERE enrollment = ? AND app = ? AND latest >= ? GROUP BY scope
                    """),
            arguments: [life.device, life.app, day])
        var counts: [CountedSeries.Scope: Int] = [:]
        for row in rows {
            if let scope = CountedSeries.Scope(rawValue: row["scope"]) { counts[scope] = row["count"] as Int }
        }
        remembered = counts
        return counts
    }

    /// Whether no other life of the app on the device ended in an interval.
    private mutating func isAloneThen(
        _ known: WritableKeyPath<FeedbackCount, Bool?>, from start: Int64, _ seconds: Int64
    ) throws -> Bool {
        if let known = self[keyPath: known] { return known }
        // The index by end has the lives of all devices.
        let found = try Bool.fetchOne(
            db.cachedStatement(
                sql: """
                    SELECT EXISTS (SELECT 1 FROM app_feedback INDEXED BY app_feedback_by_device
                        WHERE enrollment = ? AND app = ? AND number <> ? AND ended >= ? AND ended < ?)
                    """),
            arguments: [life.device, life.app, life.number, start, start + seconds])
        let isAlone = found != true
        self[keyPath: known] = isAlone
        return isAlone
    }

    /// The device is no longer one of those that added to no later row than that of this hour, and of its day.
    static func leave(
        _ series: CountedSeries, _ hour: Int64, isFolded: Bool, of app: String, _ db: Database
    ) throws {
        let row = isFolded ? series.folded : series
        for (seconds, start) in [(hourSeconds, hour), (daySeconds, hour / daySeconds * daySeconds)] {
            try db.executeCached(
                sql: """
                    UPDATE feedback_sum SET latest = latest - 1 WHERE latest > 0 AND interval = (
                        SELECT number FROM feedback_interval WHERE app = ? AND seconds = ? AND start = ?)
                    AND \(CountedSeries.condition)
                    """,
                arguments: [app, seconds, start] + row.arguments)
        }
    }

    private static func interval(_ seconds: Int64, _ start: Int64, of app: String, _ db: Database) throws -> Int64 {
        if let number = try known(seconds, start, of: app, db) { return number }
        try db.executeCached(
            sql: "INSERT INTO feedback_interval (app, seconds, start) VALUES (?, ?, ?)",
            arguments: [app, seconds, start])
        return db.lastInsertedRowID
    }

    static func known(_ seconds: Int64, _ start: Int64, of app: String, _ db: Database) throws -> Int64? {
        try Int64.fetchOne(
            db.cachedStatement(
                sql: "SELECT number FROM feedback_interval WHERE app = ? AND seconds = ? AND start = ?"),
            arguments: [app, seconds, start])
    }
}
