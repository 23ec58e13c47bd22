import GRDB
import Management

/// A life of feedback, as the sums count it.
struct CountedLife {
    let number: Int64
    let device: String
    let app: String
    let configuration: String
    let version: FeedbackVersion?
    let ended: Int64
    let received: Int64
    let numbers: [(key: String, value: Double)]

    /// A life that ended before all that is summed counts as one of the oldest hour, so that no device can make intervals
    /// without end.
    var hour: Int64 { moment / FeedbackCount.hourSeconds * FeedbackCount.hourSeconds }
    var day: Int64 { moment / FeedbackCount.daySeconds * FeedbackCount.daySeconds }

    private var moment: Int64 { max(ended, received - Int64(FeedbackLimits.seconds)) }

    /// The row of the life's own dictionary.
    func series(_ scope: CountedSeries.Scope, _ key: String = "") -> CountedSeries {
        CountedSeries(
            scope: scope, key: key, configuration: configuration, name: version?.configuration ?? "",
            version: version?.number ?? 0)
    }
}

/// Names a row of the sums in an interval, and what a device remembers of such rows.
struct CountedSeries: Hashable {
    /// What is summed; the numbers are those of the table.
    enum Scope: Int {
        /// A number with one dictionary.
        case number = 0
        /// A number with the dictionaries that have no rows of their own.
        case foldedNumber = 1
        /// A number with any dictionary.
        case allOfNumber = 2
        /// The lives with one dictionary, whatever was counted in them.
        case life = 3
        /// The lives with the dictionaries that have no rows of their own.
        case foldedLife = 4
    }

    var scope: Scope
    var key = ""
    var configuration = ""
    /// The version of a configuration that the dictionary is; without a name it is not known.
    var name = ""
    var version = 0

    /// The row of the same version for dictionaries that have no rows of their own.
    var folded: CountedSeries {
        CountedSeries(
            scope: scope == .life ? .foldedLife : .foldedNumber, key: key, configuration: "", name: name,
            version: version)
    }

    static let condition = "scope = ? AND key = ? AND configuration = ? AND name = ? AND version = ?"

    var arguments: StatementArguments { [scope.rawValue, key, configuration, name, version] }
}

extension CountedLife {
    /// The columns of `app_feedback` that are read.
    static let columns = "number, enrollment, app, configuration, name, version, ended, received"

    /// A row of `app_feedback` with its numbers.
    init(_ row: Row, _ db: Database) throws {
        let (name, number) = (row["name"] as String?, row["version"] as Int?)
        var version: FeedbackVersion?
        if let name, let number { version = FeedbackVersion(configuration: name, number: number) }
        let numbers = try Row.fetchAll(
            db.cachedStatement(sql: "SELECT key, value FROM feedback_number WHERE feedback = ? ORDER BY key"),
            arguments: [row["number"] as Int64])
        self.init(
            number: row["number"], device: row["enrollment"], app: row["app"], configuration: row["configuration"],
            version: version, ended: row["ended"], received: row["received"],
            numbers: numbers.map { (key: $0["key"] as String, value: $0["value"] as Double) })
    }

    /// The same life, with a version that has become known.
    func known(as version: FeedbackVersion) -> CountedLife {
        CountedLife(
            number: number, device: device, app: app, configuration: configuration, version: version, ended: ended,
            received: received, numbers: numbers)
    }
}
