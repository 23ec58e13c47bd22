package import Foundation
import GRDB
import InputBounds
package import Management

/// What a restore begins, and whom it lets in.
extension SQLiteStore {
    /// Begins an era, in a store that is a copy put back: what acts on devices and was unfinished in it is retired.
    ///
    /// What was carried out after the copy was made must not be carried out once more, and nobody knows what was.
    /// - Returns: what this means for the fleet.
    /// - Throws: what the disk or SQLite says.
    package func beginEra(_ era: Era) async throws -> RestoreConsequences {
        try await write { db in
            try db.execute(
                sql: "INSERT INTO era (id, copied, began) VALUES (?, ?, ?)",
                arguments: [era.id, era.copied.seconds, era.began.seconds])
            var log = try AuditTail(db)
            try log.append(
                .restoreStore, "store", ["made": .moment(era.copied), "era": .string(era.id)], by: .operator,
                db, now: era.began)
            let retired = try Self.retireCommands(db, &log, now: era.began)
            return RestoreConsequences(
                devices: try Self.count("enrollment WHERE parent IS NULL AND state IN ('pending', 'enrolled')", db),
                mayHaveRenewed: try Self.count(
                    "renewal WHERE due <= ? OR ordered IS NOT NULL", db, [era.began.seconds]),
                retiredCommands: retired, secrets: try Self.count("secret", db))
        }
    }

    package func eras() async throws -> [Era] {
        try await read { db in
            try Row.fetchAll(db, sql: "SELECT * FROM era ORDER BY number").map(Self.era)
        }
    }

    package func readmit(
        _ shown: ShownIdentity, as device: String, now: Foundation.Date
    ) async throws -> Outcome<Readmission, ReadmissionRefusal> {
        // Decide in a read: a device that shows a wrong certificate again and again must not occupy the one writer.
        let present = try await read { db in
            Readmission.decide(shown, as: device, knowing: try Self.readmissionFacts(shown, of: device, db))
        }
        guard present.value != nil else { return present }
        return try await write { db in
            let outcome = Readmission.decide(
                shown, as: device, knowing: try Self.readmissionFacts(shown, of: device, db))
            if case .accepted(let readmission) = outcome { try Self.apply(readmission, db, now: now) }
            return outcome
        }
    }

    // MARK: Parts of other operations

    /// The era that is now; nothing before the first restore.
    static func presentEra(_ db: Database) throws -> Era? {
        try Row.fetchOne(db, sql: "SELECT * FROM era ORDER BY number DESC LIMIT 1").map(era)
    }

    private static func era(_ row: Row) -> Era {
        Era(id: row["id"], copied: row.date("copied"), began: row.date("began"))
    }

    /// Answers how many were retired.
    private static func retireCommands(
        _ db: Database, _ log: inout AuditTail, now: Foundation.Date
    ) throws -> Int {
        let open = try Row.fetchAll(
            db, sql: "SELECT enrollment, uuid, request_type FROM command WHERE finished IS NULL ORDER BY id")
        var retired = 0
        for row in open {
            let (device, requestType): (String, String) = (row["enrollment"], row["request_type"])
            guard CommandRule.of(requestType).acts else { continue }
            let uuid: String = row["uuid"]
            try retire(uuid, device, db, now: now)
            try log.append(
                .retireCommand, device, ["command": .string(uuid), "type": .string(requestType)], by: .operator, db,
                now: now)
            retired += 1
        }
        return retired
    }

    private static func count(_ rows: String, _ db: Database, _ arguments: StatementArguments = []) throws -> Int {
        try Int.fetchOne(db, sql: "SELECT COUNT(*) FROM \(rows)", arguments: arguments) ?? 0
    }

    private static func readmissionFacts(
        _ shown: ShownIdentity, of device: String, _ db: Database
    ) throws -> ReadmissionFacts? {
        let row = try Row.fetchOne(
            db,
            sql: """
                SELECT e.state, c.der, c.serial, c.issued,
                    EXISTS (SELECT 1 FROM certificate WHERE fingerprint = :fingerprint) AS is_on_record
                FROM enrollment e LEFT JOIN certificate c ON c.fingerprint = e.fingerprint
                WHERE e.key = :device AND e.parent IS NULL
                """,
            arguments: ["fingerprint": shown.fingerprint, "device": device])
        guard let row else { return nil }
        var pinned: ReadmissionFacts.Pinned?
        if let der: Data = row["der"] {
            pinned = ReadmissionFacts.Pinned(der: der, serial: row["serial"], issued: row.date("issued"))
        }
        let eras = try Row.fetchAll(
            db,
            sql: """
                SELECT * FROM era WHERE id NOT IN (SELECT era FROM readmission WHERE enrollment = ?) ORDER BY number
                """,
            arguments: [device])
        return ReadmissionFacts(
            state: try row.word("state"), pinned: pinned, isOnRecord: row["is_on_record"], eras: eras.map(era))
    }

    private static func apply(_ readmission: Readmission, _ db: Database, now: Foundation.Date) throws {
        let (device, shown) = (readmission.device, readmission.identity)
        // It allows what the enrollment's certificate before allowed.
        try db.execute(
            sql: """
                INSERT INTO certificate (fingerprint, serial, der, key_digest, issued, not_after, enrollment, legacy)
                SELECT :fingerprint, :serial, :der, :key, :issued, :end, e.key, COALESCE(c.legacy, 0)
                FROM enrollment e LEFT JOIN certificate c ON c.fingerprint = e.fingerprint WHERE e.key = :device
                """,
            arguments: [
                "fingerprint": shown.fingerprint, "serial": shown.serialText, "der": shown.der,
                "key": shown.publicKeyDigest, "issued": shown.issued.seconds, "end": shown.notAfter.seconds,
                "device": device,
            ])
        // The one before is given up by the device, and may be in other hands.
        try db.execute(
            sql: """
                UPDATE enrollment SET fingerprint = :fingerprint, previous_fingerprint = NULL
                WHERE key = :device OR parent = :device
                """,
            arguments: ["fingerprint": shown.fingerprint, "device": device])
        try db.execute(
            sql: "INSERT INTO readmission (enrollment, era, fingerprint, readmitted) VALUES (?, ?, ?, ?)",
            arguments: [device, readmission.era.id, shown.fingerprint, now.seconds])
        try awaitRenewal(of: device, fingerprint: shown.fingerprint, db)
        try audit(
            .readmitDevice, device,
            [
                "serial": .string(shown.serialText), "replaced": .string(readmission.replaced),
                "expires": .moment(shown.notAfter), "era": .string(readmission.era.id),
            ], by: .device(device), db, now: now)
    }
}
