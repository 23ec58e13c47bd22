import Foundation
import GRDB
import Management

extension SQLiteStore {
    /// Entries that go at once; as many are read.
    private static let part = 2_000
    /// Once a day is enough, or the record of it would become most of what there is.
    private static let slack: TimeInterval = 24 * 3_600

    /// Removes the entries that have had their time, from the oldest on, and records where the rest begins.
    func pruneAudit(before limit: Foundation.Date, now: Foundation.Date) async throws {
        let oldest = try await read { db in
            try Row.fetchOne(db, sql: "SELECT time FROM audit ORDER BY sequence LIMIT 1")?.date("time")
        }
        guard let oldest, oldest <= limit - Self.slack else { return }
        while try await write({ db in try Self.pruneAuditPart(before: limit, db, now: now) }) == Self.part {}
    }

    /// In one transaction: wherever the server stops, the log begins where its anchor says, and an entry says the same.
    private static func pruneAuditPart(
        before limit: Foundation.Date, _ db: Database, now: Foundation.Date
    ) throws -> Int {
        let rows = try Row.fetchAll(
            db, sql: "SELECT sequence, time, hash FROM audit ORDER BY sequence LIMIT ?", arguments: [part])
        // A clock may have been set back: what stands before a younger entry goes, and nothing behind it.
        let gone = rows.prefix { $0.date("time") <= limit }
        guard let last = gone.last else { return 0 }
        let anchor = AuditAnchor(sequence: last["sequence"], hash: last["hash"])
        try audit(.pruneAudit, "audit", anchor.details, by: .server, db, now: now)
        try db.execute(
            sql: """
                INSERT INTO audit_anchor (one, sequence, hash) VALUES (1, :sequence, :hash)
                ON CONFLICT (one) DO UPDATE SET sequence = excluded.sequence, hash = excluded.hash
                """,
            arguments: ["sequence": anchor.sequence, "hash": anchor.hash])
        try db.execute(sql: "DELETE FROM audit WHERE sequence <= ?", arguments: [anchor.sequence])
        try db.execute(
            sql: "DELETE FROM audit_block WHERE block < ?", arguments: [anchor.sequence / AuditSearch.block])
        return gone.count
    }
}

extension Schema {
    /// The beginning of the audit log may move forward, what is behind it stays; each filter has its index.
    static func auditRetention(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE audit_anchor (
                    one INTEGER PRIMARY KEY CHECK (one = 1), sequence INTEGER NOT NULL, hash BLOB NOT NULL
                ) STRICT;
                CREATE TRIGGER audit_anchor_moves_forward BEFORE UPDATE ON audit_anchor
                WHEN NEW.sequence <= OLD.sequence
                BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
                CREATE TRIGGER audit_anchor_stays BEFORE DELETE ON audit_anchor
                BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
                DROP TRIGGER audit_is_not_removed;
                CREATE TRIGGER audit_is_not_removed BEFORE DELETE ON audit
                WHEN OLD.sequence > COALESCE((SELECT sequence FROM audit_anchor), 0)
                BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
                CREATE INDEX audit_by_actor ON audit(actor, sequence);
                CREATE INDEX audit_by_action ON audit(action, sequence);
                """)
    }
}
