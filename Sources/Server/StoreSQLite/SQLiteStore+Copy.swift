import Foundation
import GRDB
import Glibc

/// The store as a file that is copied and looked over by an operator.
extension SQLiteStore {
    /// Writes what is committed at this moment to a file of its own, while others go on writing to the store.
    ///
    /// Until it has ended nothing that is written meanwhile leaves the log, so it ends within bounds. The file is looked over
    /// before it is handed over; one that is not whole does not stay.
    ///
    /// - Parameters:
    ///   - path: where there is no file yet.
    ///   - bounds: how long it takes at most, and how far the log may grow.
    ///   - pagesPerStep: pages of the database between two looks at the bounds.
    ///   - grace: how long it has to end by itself once it is beyond a bound.
    ///   - stuck: hears why when it did not, because the disk that it goes to does not take what is written: nothing but
    ///     the end of the process frees the log then.
    ///   - progress: hears, after each part, how many pages are done of how many.
    /// - Returns: the packages that the copy names, by their digests.
    /// - Throws: `CopyFault`, or what the disk or SQLite says.
    package func copy(
        to path: String, within bounds: CopyBounds = CopyBounds(), pagesPerStep: Int32 = 2_048,
        grace: Duration = .seconds(5), stuck: @escaping @Sendable (CopyFault) -> Void = { _ in },
        progress: @escaping @Sendable (_ done: Int, _ all: Int) -> Void
    ) async throws -> [String] {
        let descriptor = unsafe open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard descriptor >= 0 else { throw CannotOpen(path: path, code: errno) }
        Glibc.close(descriptor)
        do {
            let file = self.path
            let watch = CopyWatch(bounds) { Self.sizes(of: file) }
            let watching = Task { await watch.run(grace: grace, stuck: stuck) }
            defer { watching.cancel() }
            let packages = try await copyPages(to: path, pagesPerStep, watch, progress)
            watching.cancel()
            if let fault = try await Self.faults(ofFile: path, isServed: false).first {
                throw CopyFault.damaged(fault)
            }
            return packages
        } catch {
            for part in ["", "-journal", "-wal", "-shm"] { try? FileManager.default.removeItem(atPath: path + part) }
            throw error
        }
    }

    private func copyPages(
        to path: String, _ pagesPerStep: Int32, _ watch: CopyWatch,
        _ progress: @escaping @Sendable (_ done: Int, _ all: Int) -> Void
    ) async throws -> [String] {
        let copy: DatabaseQueue
        do {
            copy = try DatabaseQueue(path: path)
        } catch {
            throw CopyFault.orError(error)
        }
        let packages = try await read { source in
            // The first read decides which moment this is: from here on the connection sees nothing newer.
            let packages = try String.fetchAll(source, sql: "SELECT sha256 FROM package ORDER BY sha256")
            try copy.writeWithoutTransaction { target in
                do {
                    try source.backup(to: target, pagesPerStep: pagesPerStep) { step in
                        progress(step.completedPageCount, step.totalPageCount)
                        try watch.step(step.completedPageCount)
                    }
                } catch {
                    throw CopyFault.orError(error, systemError: DiskWatch.systemError(of: target))
                }
            }
            return packages
        }
        // After the last step nobody listens to what is thrown.
        if let fault = watch.fault { throw fault }
        // One file by itself, with no log beside it.
        do {
            try await copy.writeWithoutTransaction { db in try db.execute(sql: "PRAGMA journal_mode = DELETE") }
        } catch {
            throw CopyFault.orError(error)
        }
        try copy.close()
        return packages
    }

    private static func sizes(of path: String) -> CopyWatch.Sizes {
        let files = FileManager.default
        func bytes(_ path: String) -> Int {
            let size = try? files.attributesOfItem(atPath: path)[.size] as? NSNumber
            return size?.intValue ?? 0
        }
        let free = try? files.attributesOfFileSystem(forPath: path)[.systemFreeSize] as? NSNumber
        return CopyWatch.Sizes(log: bytes(path + "-wal"), database: bytes(path), free: free?.intValue)
    }

    /// What is wrong with a store's file, which a server may have open if `isServed`; nothing is written.
    package static func faults(ofFile path: String, isServed: Bool) async throws -> [StoreFault] {
        var configuration = GRDB.Configuration()
        configuration.readonly = true
        configuration.busyMode = .timeout(5)
        // A backup may lie on a disk that is mounted read-only, too.
        let name = ReadOnlyFile.isOnReadOnlyDisk(path) ? ReadOnlyFile.name(of: path) : path
        let file: any DatabaseReader
        do {
            file =
                try isServed
                ? DatabasePool(path: name, configuration: configuration)
                : DatabaseQueue(path: name, configuration: configuration)
        } catch let error as DatabaseError {
            return [StoreFault(error, path)]
        }
        defer { try? file.close() }
        do {
            return try await file.read { db in
                guard try !Schema.migrator.hasBeenSuperseded(db) else { return [.newer] }
                guard try !Schema.migrator.appliedIdentifiers(db).isEmpty else { return [.noStore] }
                let found = try String.fetchAll(db, sql: "PRAGMA integrity_check(1)")
                guard found == ["ok"] else { return [.damaged(finding: StoreFault.line(of: found))] }
                let stray = try Row.fetchOne(db, sql: "PRAGMA foreign_key_check")
                return stray == nil ? [] : [.strayReference]
            }
        } catch let error as DatabaseError {
            return [StoreFault(error, path)]
        }
    }

    /// The packages that an app's source names, by their digests: those whose files must be there.
    package func packagesInUse() async throws -> [String] {
        try await read { db in
            try String.fetchAll(db, sql: "SELECT sha256 FROM package WHERE unused_since IS NULL ORDER BY sha256")
        }
    }
}
