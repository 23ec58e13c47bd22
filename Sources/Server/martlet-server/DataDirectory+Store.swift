import Foundation
import Management
import StoreSQLite

/// The database of a data directory, opened for commands of an operator.
extension DataDirectory {
    /// The store of a server that does not run.
    func stoppedStore() throws -> SQLiteStore {
        guard FileManager.default.fileExists(atPath: databasePath) else {
            throw Refusal(rule: "there is no database in the data directory \(url.path)")
        }
        do {
            return try openedStore(orElse: "stop the server first")
        } catch let refusal as Refusal {
            throw Refusal(rule: "\(refusal.rule); nothing was changed")
        }
    }

    /// Makes the one change of a command; if the disk refuses it, says that nothing was changed.
    static func changing<Value>(_ change: () async throws -> Value) async throws -> Value {
        do {
            return try await change()
        } catch let refusal as StoreDiskRefusal {
            throw Refusal(rule: "\(refusal); nothing was changed. \(refusal.commandDetail)")
        }
    }

    /// Opens the store for this process alone; `remedy` says what to do where another process has it.
    func openedStore(orElse remedy: String) throws -> SQLiteStore {
        do {
            return try SQLiteStore(path: databasePath)
        } catch is StoreInUse {
            throw Refusal(rule: "another process uses the store in \(url.path): \(remedy)")
        } catch {
            throw refusal(opening: error)
        }
    }

    /// Why the database cannot be opened: which file, what is wrong with it, and what to do.
    func refusal(opening error: any Error) -> Refusal {
        if let known = error as? CannotOpen { return Refusal(rule: known.description) }
        return Refusal(rule: "the database \(databasePath) cannot be opened: \(StoreErrorText.reason(error))")
    }
}
