/// What lies in a server's data directory, as far as it decides whether a server may start there.
package struct DirectoryFacts: Equatable, Sendable {
    /// How far the database is.
    package enum Database: CaseIterable, Equatable, Sendable {
        /// There is no file, or nothing in it.
        case missing
        /// Nobody has been made in it, not even the first administrator.
        case unused
        case inUse
    }

    package var database: Database
    /// The names of the files of the authorities that are there.
    package var present: [String]
    /// The names of those that are not.
    package var missing: [String]
    /// Whether a first start says that it has begun and not that it has ended.
    package var isBegun: Bool

    package init(database: Database, present: [String], missing: [String], isBegun: Bool) {
        self.database = database
        self.present = present
        self.missing = missing
        self.isBegun = isBegun
    }
}

/// What a start does with a data directory.
///
/// New authorities in the place of lost ones would lock out every device, and an empty database beside authorities in use
/// would forget them all: only a first start makes either.
package enum DirectoryStart: Equatable, Sendable {
    /// A first start, or one that goes on after it was cut off: what is not there is made.
    case making
    /// Everything is there.
    case serving
    case refused(LostFiles)

    package static func decide(_ facts: DirectoryFacts) -> DirectoryStart {
        switch facts.database {
        case .inUse: facts.missing.isEmpty ? .serving : .refused(.authorities(facts.missing))
        // The sign is made before the first authority and goes after the first administrator.
        case .missing where !facts.isBegun && !facts.present.isEmpty: .refused(.database(beside: facts.present))
        case .unused where !facts.isBegun && !facts.present.isEmpty: .refused(.contents(beside: facts.present))
        case .missing, .unused: .making
        }
    }
}

/// Files without which what else is in the data directory is worth little.
package enum LostFiles: Error, Equatable, Sendable, CustomStringConvertible {
    case authorities([String])
    case database(beside: [String])
    /// The database is there and was never used.
    case contents(beside: [String])

    package var description: String {
        switch self {
        case .authorities(let names):
            """
            \(Self.list(names)) \(names.count == 1 ? "is" : "are") missing in the data directory, whose database is in use: \
            devices, apps and administrators trust these authorities, and none is made in their place. Copy what is missing \
            from a backup; without one, start in an empty directory, where every device enrolls anew
            """
        case .database(let names):
            "there is no database in the data directory, where \(Self.list(names)) \(Self.areThere(names)): "
                + Self.wayOn
        case .contents(let names):
            """
            the database in the data directory is empty, while \(Self.list(names)) \(Self.areThere(names)) (a copy of \
            martlet.sqlite needs the martlet.sqlite-wal that was beside it): \(Self.wayOn)
            """
        }
    }

    private static let wayOn = """
        no empty one takes its place. Move what is in the directory elsewhere, then put a backup back with martlet-server \
        restore, or start anew, where every device enrolls anew
        """

    private static func areThere(_ names: [String]) -> String { names.count == 1 ? "is there" : "are there" }

    private static func list(_ names: [String]) -> String {
        guard let last = names.last, names.count > 1 else { return names.joined() }
        return names.dropLast().joined(separator: ", ") + " and " + last
    }
}
