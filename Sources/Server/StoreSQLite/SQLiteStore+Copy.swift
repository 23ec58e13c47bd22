package import Foundation
import GRDB
import Glibc
import InputBounds
import Management

/// The store as a file that is copied and looked over by an operator.
extension SQLiteStore {
    private static let pagesPerStep: CInt = 2_048

    /// Writes what is committed at this moment to a file of its own, while others go on writing to the store.
    ///
    /// - Parameters:
    ///   - path: where there is no file yet.
    ///   - progress: hears, after each part, how many pages are done of how many.
    /// - Returns: the packages that the copy names, by their digests.
    /// - Throws: what the disk or SQLite says.
    package func copy(
        to path: String, progress: @escaping @Sendable (_ done: Int, _ all: Int) -> Void
    ) async throws -> [String] {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw CannotOpen(code: errno) }
        Glibc.close(descriptor)
        return try await read { source in
            // The first read decides which moment this is: from here on the connection sees nothing newer.
            let packages = try String.fetchAll(source, sql: "SELECT sha256 FROM package ORDER BY sha256")
            let target = try DatabaseQueue(path: path)
            try target.writeWithoutTransaction { target in
                try source.backup(to: target, pagesPerStep: Self.pagesPerStep) {
                    progress($0.completedPageCount, $0.totalPageCount)
                }
                // One file by itself, with no log beside it.
                try target.execute(sql: "PRAGMA journal_mode = DELETE")
            }
            try target.close()
            return packages
        }
    }

    /// What is wrong with a store's file, which a server may have open if `isServed`; nothing is written.
    package static func faults(ofFile path: String, isServed: Bool) async throws -> [StoreFault] {
        var configuration = GRDB.Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        let file: any DatabaseReader
        do {
            file =
                try isServed
                ? DatabasePool(path: path, configuration: configuration)
                : DatabaseQueue(path: path, configuration: configuration)
        } catch {
            return [.unreadable]
        }
        defer { try? file.close() }
        return try await file.read { db in
            do {
                guard try !Schema.migrator.hasBeenSuperseded(db) else { return [.newer] }
                guard try !Schema.migrator.appliedIdentifiers(db).isEmpty else { return [.noStore] }
                guard try String.fetchAll(db, sql: "PRAGMA integrity_check(1)") == ["ok"] else { return [.damaged] }
                let stray = try Row.fetchOne(db, sql: "PRAGMA foreign_key_check")
                return stray == nil ? [] : [.strayReference]
            } catch is DatabaseError {
                return [.damaged]
            }
        }
    }

    /// The packages that an app's source names, by their digests: those whose files must be there.
    package func packagesInUse() async throws -> [String] {
        try await read { db in
            try String.fetchAll(db, sql: "SELECT sha256 FROM package WHERE unused_since IS NULL ORDER BY sha256")
        }
    }

    /// Notes in the audit log that this store is the copy that was made at a time, put back.
    package func noteRestored(copyOf made: Foundation.Date, now: Foundation.Date) async throws {
        try await write { db in
            try Self.audit(
                .restoreStore, "store", ["made": .integer(Int64(made.seconds))], by: .operator, db, now: now)
        }
    }
}

/// What is wrong with the file of a store.
package enum StoreFault: Sendable, Equatable, CustomStringConvertible {
    case unreadable
    case noStore
    case newer
    case damaged
    case strayReference

    package var description: String {
        switch self {
        case .unreadable: "the database cannot be opened"
        case .noStore: "the database is not one of this server's"
        case .newer: "the database was written by a newer version of the server"
        case .damaged: "the database is damaged: SQLite's integrity check fails"
        case .strayReference: "the database is damaged: a row refers to one that is not there"
        }
    }
}
