package import Foundation
import GRDB
package import Management

extension SQLiteStore {
    package func assignmentSnapshot(groups: [String]) async throws -> AssignmentSnapshot {
        try await read { db in
            var snapshot = try Self.assignmentSnapshot(groups, db)
            snapshot.settings = try Self.assignedSettings(groups, db)
            return snapshot
        }
    }

    package func recordTold(device: String, epoch: Int, token: String, now: Foundation.Date) async throws {
        try await write { db in
            try db.executeCached(
                sql: """
                    UPDATE enrollment SET told_token = :token, told_sequence = told_sequence + 1
                    WHERE key = :key AND epoch = :epoch AND told_token IS NOT :token
                    """,
                arguments: ["token": token, "key": device, "epoch": epoch])
            guard db.changesCount > 0 else { return }
            try Self.note(.tell, of: device, token: token, db, now: now)
        }
    }

    package func recordItems(device: String, epoch: Int, token: String, now: Foundation.Date) async throws {
        try await write { db in try Self.recordItems(device, epoch, token, db, now: now) }
    }

    // MARK: Snapshots

    package func keepSnapshot(
        _ snapshot: ManifestSnapshot, groups: [String], now: Foundation.Date
    ) async throws {
        let document = try Self.document(of: snapshot)
        let holder = try Self.text(of: groups)
        try await write { db in
            try Self.keep(snapshot, document, db, now: now)
            try db.execute(
                sql: """
                    INSERT INTO snapshot_holder (token, groups) VALUES (?, ?)
                    ON CONFLICT (token, groups) DO UPDATE SET superseded = NULL
                    """,
                arguments: [snapshot.declarationsToken, holder])
        }
    }

    package func keepOwnSnapshot(
        _ snapshot: ManifestSnapshot, files: [String: Data], device: String, epoch: Int, now: Foundation.Date
    ) async throws {
        let document = try Self.document(of: snapshot)
        try await write { db in
            let isPresent = try Bool.fetchOne(
                db.cachedStatement(sql: "SELECT EXISTS (SELECT 1 FROM enrollment WHERE key = ? AND epoch = ?)"),
                arguments: [device, epoch])
            // Another life of the enrollment has begun: it will ask again.
            guard isPresent == true else { return }
            for (sha256, bytes) in files {
                try db.executeCached(
                    sql: "INSERT OR IGNORE INTO file (sha256, bytes) VALUES (?, ?)", arguments: [sha256, bytes])
            }
            try Self.keep(snapshot, document, db, now: now)
            try db.executeCached(
                sql: """
                    INSERT INTO snapshot_device (enrollment, token) VALUES (?, ?)
                    ON CONFLICT (enrollment) DO UPDATE SET token = excluded.token
                    """,
                arguments: [device, snapshot.declarationsToken])
            try Self.recordItems(device, epoch, snapshot.declarationsToken, db, now: now)
        }
    }

    private static func document(of snapshot: ManifestSnapshot) throws -> Data {
        let encoder = PropertyListEncoder()
        encoder.outputFormat = .binary
        return try encoder.encode(snapshot)
    }

    private static func keep(
        _ snapshot: ManifestSnapshot, _ document: Data, _ db: Database, now: Foundation.Date
    ) throws {
        try db.executeCached(
            sql: "INSERT OR IGNORE INTO snapshot (token, document, created) VALUES (?, ?, ?)",
            arguments: [snapshot.declarationsToken, document, now.seconds])
        for sha256 in snapshot.assets.keys {
            try db.executeCached(
                sql: """
                    INSERT OR IGNORE INTO snapshot_file (token, sha256)
                    SELECT ?, sha256 FROM file WHERE sha256 = ?
                    """,
                arguments: [snapshot.declarationsToken, sha256])
        }
    }

    private static func recordItems(
        _ device: String, _ epoch: Int, _ token: String, _ db: Database, now: Foundation.Date
    ) throws {
        let isOther = try Bool.fetchOne(
            db.cachedStatement(
                sql: "SELECT items_token IS NOT :token FROM enrollment WHERE key = :key AND epoch = :epoch"),
            arguments: ["token": token, "key": device, "epoch": epoch])
        if isOther == true { try note(.fetch, of: device, token: token, db, now: now) }
        try db.executeCached(
            sql: """
                UPDATE enrollment SET items_token = :token,
                    told_sequence = told_sequence + (told_token IS NOT :token), told_token = :token
                WHERE key = :key AND epoch = :epoch
                """,
            arguments: ["token": token, "key": device, "epoch": epoch])
    }

    package func snapshot(token: String) async throws -> ManifestSnapshot? {
        try await read { db in
            try Data.fetchOne(db, sql: "SELECT document FROM snapshot WHERE token = ?", arguments: [token])
                .map { try PropertyListDecoder().decode(ManifestSnapshot.self, from: $0) }
        }
    }

    package func snapshotHolders() async throws -> [SnapshotHolder] {
        try await read { db in
            try Row.fetchAll(db, sql: "SELECT token, groups FROM snapshot_holder").map { row in
                let groups: String = row["groups"]
                return SnapshotHolder(
                    token: row["token"], groups: try JSONDecoder().decode([String].self, from: Data(groups.utf8)))
            }
        }
    }

    package func markSuperseded(_ holders: [SnapshotHolder], now: Foundation.Date) async throws {
        try await mark(holders, superseded: now)
    }

    package func markCurrent(_ holders: [SnapshotHolder]) async throws {
        try await mark(holders, superseded: nil)
    }

    private func mark(_ holders: [SnapshotHolder], superseded: Foundation.Date?) async throws {
        let keys = try holders.map { ($0.token, try Self.text(of: $0.groups)) }
        try await write { db in
            for (token, groups) in keys {
                // The time since when it is superseded stays.
                try db.execute(
                    sql: """
                        UPDATE snapshot_holder SET superseded = CASE WHEN :time IS NULL THEN NULL
                            ELSE COALESCE(superseded, :time) END
                        WHERE token = :token AND groups = :groups
                        """,
                    arguments: ["time": superseded?.seconds, "token": token, "groups": groups])
            }
        }
    }

    // MARK: Files

    package func assetBytes(sha256: String) async throws -> Data? {
        try await read { db in try Self.fileBytes(sha256, db) }
    }

    static func text(of groups: [String]) throws -> String {
        String(decoding: try JSONEncoder().encode(groups), as: UTF8.self)
    }
}
