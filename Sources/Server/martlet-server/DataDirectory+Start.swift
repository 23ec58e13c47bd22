import Foundation
import Management
import StoreSQLite

/// Whether a server may start in a directory, and the sign of a first start that is under way.
extension DataDirectory {
    /// There from before the database is made until after the first administrator is.
    ///
    /// Without it authorities beside an unused database would look alike whether a first start was cut off or a database
    /// was lost.
    private static let firstStart = "first-start"

    /// What a first start makes, the sign that it has begun at the end.
    static let firstStartFiles: [String] = {
        let named = authorityFiles + [issuedCertificateFile, "master.key", firstStart]
        let database = ["", "-journal", "-wal", "-shm"].map { BackupManifest.database + $0 }
        return named.map { ".\($0).draft" } + database + authorityFiles
            + [issuedCertificateFile, BackupManifest.packages, firstStart]
    }()

    /// Whether a first start has begun here and not ended, so that no server ever served from here.
    var isFirstStartUnfinished: Bool { has(Self.firstStart) && !SQLiteStore.mayHaveServed(databasePath) }

    /// Whether nothing lies in a directory but, at most, the master key that an operator has made ready.
    static func isNew(_ path: String) -> Bool {
        guard let names = try? FileManager.default.contentsOfDirectory(atPath: path) else { return true }
        return names.allSatisfy { $0 == "master.key" }
    }

    /// Whether there is a database with anything in it: SQLite makes one out of an empty file.
    var hasDatabase: Bool {
        let size = (try? FileManager.default.attributesOfItem(atPath: databasePath))?[.size] as? NSNumber
        return (size?.int64Value ?? 0) > 0
    }

    /// Whether both files of an authority are there.
    func hasFiles(of purpose: Purpose) -> Bool { has(purpose.rawValue + ".pem") && has(purpose.rawValue + ".key") }

    /// What a start does here, if the database is so.
    func start(with database: DirectoryFacts.Database) -> DirectoryStart {
        let present = Set(Self.authorityFiles.filter(has))
        return .decide(
            DirectoryFacts(
                database: database, present: Self.authorityFiles.filter(present.contains),
                missing: Self.authorityFiles.filter { !present.contains($0) }, isBegun: has(Self.firstStart)))
    }

    /// Opens the database for a server, and begins a first start where it is one.
    ///
    /// A directory in which something was lost is refused, and no database is made in it.
    func startingStore() async throws -> SQLiteStore {
        // The sign comes first: also what is left where the disk has no room for a database is known by it.
        if !hasDatabase, try requireStart(with: .missing) == .making { try beginFirstStart() }
        let store = try openedStore(
            orElse: "stop that server, or name another directory with --data-directory")
        do {
            let isInUse = try await store.isInUse()
            let decision = try requireStart(with: isInUse ? .inUse : .unused)
            if decision == .making { try beginFirstStart() }
        } catch {
            try? store.close()
            throw error
        }
        return store
    }

    private func beginFirstStart() throws {
        guard !has(Self.firstStart) else { return }
        try write("A first start is under way.\n", to: url.appending(path: Self.firstStart))
    }

    /// Everything is made: from here on what is not there was lost.
    func endFirstStart() throws {
        guard has(Self.firstStart) else { return }
        guard unsafe unlink(url.appending(path: Self.firstStart).path) == 0 else {
            throw unwritten(errno)
        }
        try DigestedFile.syncDirectory(url)
    }

    @discardableResult
    private func requireStart(with database: DirectoryFacts.Database) throws -> DirectoryStart {
        let decision = start(with: database)
        if case .refused(let lost) = decision { throw Refusal(rule: lost.description) }
        return decision
    }

    private func has(_ name: String) -> Bool {
        FileManager.default.fileExists(atPath: url.appending(path: name).path)
    }
}
