import Foundation
import GRDB
package import Management

extension SQLiteStore {
    package func facts() async throws -> StoreFacts {
        let files = FileManager.default
        // Before anything is read: another file in its place is another database.
        let wasMoved = diskWatch.refusing == .moved
        if diskWatch.refusalOfMovedFiles() == nil, wasMoved {
            // A reader that was opened meanwhile has that file open.
            for readers in [pool, administratorPool] { readers.invalidateReadOnlyConnections() }
        }
        func size(_ path: String) -> Int {
            let bytes = try? files.attributesOfItem(atPath: path)[.size] as? NSNumber
            return bytes?.intValue ?? 0
        }
        var (bytes, standing) = (size(path), StoreFacts.Standing.readable)
        do {
            bytes = try await read { db in
                try Self.touchTables(db)
                let pages = try Int.fetchOne(db, sql: "PRAGMA page_count") ?? 0
                let size = try Int.fetchOne(db, sql: "PRAGMA page_size") ?? 0
                return pages * size
            }
        } catch is StoreDamage {
            standing = .damaged
        } catch is StoreDiskRefusal {
            standing = .unreadable
        } catch let error as DatabaseError where Self.isReadFailure(error) {
            standing = .unreadable
        }
        if damageWatch.isDamaged { standing = .damaged }
        if standing == .readable { await tryDisk() }
        let disk = try? files.attributesOfFileSystem(forPath: path)[.systemFreeSize] as? NSNumber
        if isAlone { diskWatch.remind(freeBytes: disk?.intValue) }
        return StoreFacts(
            waitingWrites: waitingWrites, mostWaitingWrites: GroupCommit.capacity, databaseBytes: bytes,
            logBytes: size(path + "-wal"), freeBytes: disk?.intValue, standing: standing,
            refusing: diskWatch.refusing, isStuck: diskWatch.isStuck)
    }

    package var diskRefusal: StoreDiskRefusal.Cause? { diskWatch.refusing }

    /// Tries whether the disk takes a write, if that is due; a disk that hangs is waited for no longer than a second.
    ///
    /// An idle store would learn of a read-only disk, or of one that takes changes again, only with the next change. A busy
    /// one tries it, too: on a disk that hangs its changes wait without an error, and the trial behind them.
    private func tryDisk() async {
        guard isAlone, diskWatch.beginsTrial() else { return }
        let (ends, sink) = AsyncStream.makeStream(of: Void.self)
        Task {
            let tookWrite = (try? await writeOnTrial()) != nil
            diskWatch.endTrial(tookWrite: tookWrite)
            sink.finish()
        }
        let waiting = Task {
            try await Task.sleep(for: .seconds(1))
            sink.finish()
        }
        defer { waiting.cancel() }
        for await _ in ends {}
    }

    /// Writes the first page as it is: the cheapest write that the disk has to take.
    ///
    /// SQLite writes this number each time it is set. A row that is given the values that it has reaches no disk.
    private func writeOnTrial() async throws {
        try await write { db in
            let version = try Int.fetchOne(db, sql: "PRAGMA user_version") ?? 0
            try db.execute(sql: "PRAGMA user_version = \(version)")
        }
    }

    /// Reads a page or two of the tables that everything depends on.
    private static func touchTables(_ db: Database) throws {
        _ = try Row.fetchOne(
            db,
            sql: """
                SELECT EXISTS (SELECT 1 FROM administrator), EXISTS (SELECT 1 FROM enrollment),
                    EXISTS (SELECT 1 FROM device_group), (SELECT MAX(sequence) FROM audit)
                """)
    }

    /// What the disk or the file is to blame for, not that the store is busy.
    private static func isReadFailure(_ error: DatabaseError) -> Bool {
        [ResultCode.SQLITE_IOERR, .SQLITE_CANTOPEN].contains(error.resultCode)
    }

    package func counts() async throws -> StoreCounts {
        try await read { db in
            var counts = StoreCounts()
            counts.enrollments =
                try Int.fetchOne(
                    db,
                    sql: """
                        SELECT (SELECT COALESCE(SUM(devices), 0) FROM device_count)
                            + (SELECT COUNT(*) FROM enrollment WHERE parent IS NOT NULL)
                        """) ?? 0
            for row in try Row.fetchAll(db, sql: "SELECT state, COUNT(*) AS number FROM job GROUP BY state") {
                counts.jobs[try row.word("state")] = row["number"]
            }
            for row in try Row.fetchAll(
                db, sql: "SELECT state, COUNT(*) AS number FROM webhook_delivery GROUP BY state")
            {
                counts.deliveries[try row.word("state")] = row["number"]
            }
            counts.requests = try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM request") ?? 0
            return counts
        }
    }
}
