/// What is in the store's file is not what was written to it.
package struct StoreDamage: Error, Equatable, Sendable, CustomStringConvertible {
    package enum Kind: Equatable, Sendable {
        /// The file does not begin as a database does.
        case noDatabase
        case malformed
    }

    /// What an operator does about a damaged database, once it is known to be one.
    package static let wayBack = """
        put the last good backup back with martlet-server restore ("Backups" in the administrators' guide)
        """
    /// What an operator does about a database that was found to be damaged while it was used.
    package static let remedy = "stop the server, look with martlet-server check, and \(wayBack)"

    package let kind: Kind
    /// The store's file.
    package let path: String

    package init(_ kind: Kind, path: String) {
        self.kind = kind
        self.path = path
    }

    /// For operators: the file, what is wrong with it, and the remedy.
    package var description: String { "the database file \(path) is damaged: \(finding): \(Self.remedy)" }

    /// The same as a sentence.
    package var detail: String { "The database file \(path) is damaged: \(finding): \(Self.remedy)." }

    private var finding: String {
        switch kind {
        case .noDatabase: "its beginning is not that of a database"
        case .malformed: "its content is malformed"
        }
    }
}
