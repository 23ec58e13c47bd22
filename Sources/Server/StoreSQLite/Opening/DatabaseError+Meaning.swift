import GRDB

extension DatabaseError {
    /// What the error means to an operator, without the statement that met it; its number is for those who look it up.
    var meaning: String { "\(plainMeaning) (SQLite error \(extendedResultCode.rawValue))" }

    private var plainMeaning: String {
        switch resultCode {
        case .SQLITE_BUSY, .SQLITE_LOCKED, .SQLITE_PROTOCOL: "another program keeps it locked"
        case .SQLITE_NOMEM: "the machine has too little memory"
        case .SQLITE_INTERRUPT, .SQLITE_ABORT: "the work was interrupted"
        case .SQLITE_READONLY, .SQLITE_PERM, .SQLITE_AUTH: "writing to it is not allowed"
        case .SQLITE_IOERR: "the system could not read, write or lock it, or a file beside it"
        case .SQLITE_CORRUPT, .SQLITE_NOTADB: "its content is damaged"
        case .SQLITE_FULL: "its disk is full"
        case .SQLITE_CANTOPEN: "it or a file beside it cannot be opened"
        case .SQLITE_TOOBIG: "a value in it is too large"
        case .SQLITE_NOLFS: "it is larger than the system allows"
        case .SQLITE_CONSTRAINT, .SQLITE_MISMATCH: "its content breaks a rule of this version of the server"
        case .SQLITE_SCHEMA: "its tables are not those of this version of the server"
        default: message.map { "SQLite says: \($0)" } ?? "SQLite does not say why"
        }
    }
}

/// Why work with a store's file failed, as an operator reads it.
package enum StoreErrorText {
    /// The meaning of an error of SQLite, or what another error says of itself.
    package static func reason(_ error: any Error) -> String {
        if let error = error as? DatabaseError { error.meaning } else { "\(error)" }
    }
}
