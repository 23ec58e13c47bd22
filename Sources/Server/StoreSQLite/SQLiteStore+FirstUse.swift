package import Foundation
import GRDB
import InputBounds
package import Management

/// Certificates of renewals that take the place of the pinned one by being used.
extension SQLiteStore {
    package func useFirst(
        _ fingerprint: Data, as device: String, now: Foundation.Date
    ) async throws -> Outcome<FirstUse, FirstUseRefusal> {
        // Decide in a read: a device that shows a wrong certificate again and again must not occupy the one writer.
        let present = try await read { db in
            FirstUse.decide(fingerprint, as: device, knowing: try Self.firstUseFacts(fingerprint, device, db))
        }
        guard present.value != nil else { return present }
        return try await write { db in
            let outcome = FirstUse.decide(
                fingerprint, as: device, knowing: try Self.firstUseFacts(fingerprint, device, db))
            if case .accepted(let use) = outcome { try Self.apply(use, db, now: now) }
            return outcome
        }
    }

    private static func firstUseFacts(
        _ fingerprint: Data, _ device: String, _ db: Database
    ) throws -> FirstUseFacts? {
        let row = try Row.fetchOne(
            db,
            sql: """
                SELECT e.state, e.fingerprint, c.serial FROM enrollment e
                    LEFT JOIN certificate c ON c.fingerprint = e.fingerprint
                WHERE e.key = ? AND e.parent IS NULL
                """,
            arguments: [device])
        guard let row else { return nil }
        return FirstUseFacts(
            state: try row.word("state"), pinned: row["fingerprint"], pinnedSerial: row["serial"],
            shown: try shown(fingerprint, db))
    }

    private static func shown(_ fingerprint: Data, _ db: Database) throws -> FirstUseFacts.Shown? {
        let row = try Row.fetchOne(
            db, sql: "SELECT serial, not_after, code, enrollment FROM certificate WHERE fingerprint = ?",
            arguments: [fingerprint])
        guard let row else { return nil }
        let right = try (row["code"] as String?).flatMap { id in
            try Row.fetchOne(db, sql: "SELECT * FROM enrollment_code WHERE id = ?", arguments: [id])
        }.map(enrollmentCode)
        return FirstUseFacts.Shown(
            serial: row["serial"], notAfter: row.date("not_after"), pinnedTo: row["enrollment"], right: right,
            chipOf: try right.flatMap { try owner(ofChipUnder: $0.id, db) })
    }

    private static func apply(_ use: FirstUse, _ db: Database, now: Foundation.Date) throws {
        // The users' channels speak with their device's certificate. The device's announced declarations still count.
        try db.execute(
            sql: """
                UPDATE enrollment SET fingerprint = :fingerprint, previous_fingerprint = NULL
                WHERE key = :device OR parent = :device
                """,
            arguments: ["fingerprint": use.fingerprint, "device": use.device])
        try pin(use.fingerprint, to: use.device, by: use.right, db, now: now)
        try audit(
            .renewDevice, use.device,
            [
                "serial": .string(use.serial), "replaced": .string(use.replaced ?? ""),
                "expires": .moment(use.notAfter),
            ], by: .device(use.device), db, now: now)
    }
}
