import GRDB
import Management

/// What is wrong with the file of a store.
package enum StoreFault: Sendable, Equatable, CustomStringConvertible {
    /// The file and why it cannot be opened or read.
    case unreadable(reason: String)
    case noStore
    case newer
    /// With what SQLite found, in its words.
    case damaged(finding: String)
    case strayReference

    private static let longestFinding = 200

    /// By what SQLite said while it opened or read a file.
    init(_ error: DatabaseError, _ path: String) {
        if DamageWatch.damage(error) != nil {
            self = .damaged(finding: Self.line(of: [error.message ?? "damage"]))
        } else {
            self = .unreadable(reason: CannotOpen(path: path, error).description)
        }
    }

    /// What SQLite's check found, as one line of bounded length.
    static func line(of finding: [String]) -> String {
        let words = finding.joined(separator: " ").split(whereSeparator: \.isWhitespace).joined(separator: " ")
        return String(words.prefix(longestFinding))
    }

    package var description: String {
        switch self {
        case .unreadable(let reason): reason
        case .noStore: "the database is not one of this server's"
        case .newer: "the database was written by a newer version of the server"
        case .damaged(let finding): "the database is damaged: SQLite's check finds: \(finding)"
        case .strayReference: "the database is damaged: a row refers to one that is not there"
        }
    }

    /// The same for the operator of the server whose file it is: with the file and the remedy.
    package func rule(of path: String) -> String {
        switch self {
        case .unreadable, .newer: description
        case .noStore: "\(description): \(path)"
        case .damaged(let finding):
            "the database file \(path) is damaged: SQLite's check finds: \(finding): stop the server and \(StoreDamage.wayBack)"
        case .strayReference:
            "the database file \(path) is damaged: a row refers to one that is not there: stop the server and \(StoreDamage.wayBack)"
        }
    }
}
