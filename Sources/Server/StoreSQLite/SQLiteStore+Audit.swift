import Foundation
import GRDB
import InputBounds
package import Management

extension SQLiteStore {
    package func auditEntries(_ filter: AuditFilter, _ page: PageRequest) async throws -> Page<AuditEntry> {
        try await read { db in try AuditSearch(filter, page).run(db) }
    }

    package func auditAnchor() async throws -> AuditAnchor? {
        try await read { db in
            try Row.fetchOne(db, sql: "SELECT sequence, hash FROM audit_anchor").map {
                AuditAnchor(sequence: $0["sequence"], hash: $0["hash"])
            }
        }
    }

    package func auditEntries(after sequence: Int, limit: Int) async throws -> [AuditEntry] {
        try await read { db in
            try Row.fetchAll(
                db, sql: "SELECT * FROM audit WHERE sequence > ? ORDER BY sequence LIMIT ?",
                arguments: [sequence, limit]
            ).map(Self.auditEntry)
        }
    }

    /// Appends to the log in the transaction of the change: one is on disk if and only if the other is.
    static func audit(
        _ action: AuditEntry.Action, _ subject: String, _ details: [String: JSONValue] = [:], by actor: AuditActor,
        _ db: Database, now: Foundation.Date
    ) throws {
        var tail = try AuditTail(db)
        try tail.append(action, subject, details, by: actor, db, now: now)
    }

    static func auditEntry(_ row: Row) -> AuditEntry {
        AuditEntry(
            sequence: row["sequence"], time: row.date("time"), actor: row["actor"], action: row["action"],
            subject: row["subject"], details: row["details"], hash: row["hash"])
    }
}

/// The end of the log, for a transaction that appends many entries.
struct AuditTail {
    private var last: (sequence: Int, hash: Data)?

    init(_ db: Database) throws {
        last = try Row.fetchOne(
            db.cachedStatement(sql: "SELECT sequence, hash FROM audit ORDER BY sequence DESC LIMIT 1")
        ).map { (sequence: $0["sequence"], hash: $0["hash"]) }
    }

    mutating func append(
        _ action: AuditEntry.Action, _ subject: String, _ details: [String: JSONValue] = [:], by actor: AuditActor,
        _ db: Database, now: Foundation.Date
    ) throws {
        let entry = AuditEntry(
            after: last, time: now, actor: actor.text, action: action, subject: subject,
            details: details.isEmpty ? "{}" : String(decoding: JSONValue.object(details).encoded(), as: UTF8.self))
        // The driver ends a text at a NUL: what is kept would be another name than what was hashed, and than what changed.
        guard [entry.actor, entry.subject, entry.details].allSatisfy({ !$0.utf8.contains(0) }) else {
            throw TextWithNUL()
        }
        try db.executeCached(
            sql:
                "INSERT INTO audit (sequence, time, actor, action, subject, details, hash) VALUES (?, ?, ?, ?, ?, ?, ?)",
            arguments: [
                entry.sequence, entry.time.seconds, entry.actor, entry.action, entry.subject, entry.details, entry.hash,
            ])
        last = (entry.sequence, entry.hash)
    }
}

extension JSONValue {
    /// A moment in the details of an entry; its name is in the list of moments of `AdminMessages`, by which people read it.
    static func moment(_ date: Foundation.Date) -> JSONValue { .integer(date.seconds) }
}

/// A text that the database would keep without its end.
struct TextWithNUL: Error {}

extension Schema {
    /// The audit log; triggers keep everyone from changing it by mistake, and the chain shows who did so on purpose.
    static func version4(_ db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE audit (
                    sequence INTEGER PRIMARY KEY, time INTEGER NOT NULL, actor TEXT NOT NULL, action TEXT NOT NULL,
                    subject TEXT NOT NULL, details TEXT NOT NULL, hash BLOB NOT NULL
                ) STRICT;
                CREATE INDEX audit_by_subject ON audit(subject, sequence);
                CREATE TRIGGER audit_is_not_changed BEFORE UPDATE ON audit
                BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
                CREATE TRIGGER audit_is_not_removed BEFORE DELETE ON audit
                BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
                CREATE TRIGGER audit_is_appended BEFORE INSERT ON audit
                WHEN NEW.sequence IS NOT 1 + COALESCE((SELECT MAX(sequence) FROM audit), 0)
                BEGIN SELECT RAISE(ABORT, 'the audit log is append-only'); END;
                """)
    }
}
