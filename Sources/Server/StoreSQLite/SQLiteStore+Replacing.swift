import Foundation
import GRDB
import InputBounds
import Management

/// The records of enrollments that another one replaces, or asks to replace.
extension SQLiteStore {
    /// Records that a new enrollment replaces one that is alive.
    static func noteReplaced(
        _ existing: DeviceContext, _ code: EnrollmentCode, _ db: Database, now: Foundation.Date
    ) throws {
        let serial = try String.fetchOne(
            db, sql: "SELECT serial FROM certificate WHERE fingerprint = ?", arguments: [existing.fingerprint])
        var details: [String: JSONValue] = [
            "code": .string(code.id), "word": .string(code.replaces == nil ? "chip" : "code"),
        ]
        if let serial { details["certificate"] = .string(serial) }
        try audit(.replaceDevice, existing.key, details, by: .device(existing.key), db, now: now)
        try note(.replace, of: existing.key, db, now: now)
    }

    /// Records that another machine asked to be enrolled as a device that is alive: once for each code, so that
    /// repeated requests do not fill the log.
    static func noteRefused(_ draft: EnrollmentDraft, _ code: EnrollmentCode, _ db: Database) throws {
        try db.execute(
            sql: "UPDATE enrollment_code SET refused = 1 WHERE id = ? AND refused = 0", arguments: [code.id])
        guard db.changesCount == 1 else { return }
        try audit(
            .refuseEnrollment, draft.key, ["code": .string(code.id), "group": .string(code.group)], by: .server, db,
            now: draft.now)
        try note(.refuseEnrollment, of: draft.key, db, now: draft.now)
    }

    /// Why a code cannot be made that replaces a device.
    static func refusal(ofReplacing device: String?, _ db: Database) throws -> AdminRefusal? {
        guard let device else { return nil }
        guard let known = try context(device, db) else { return .unknownDevice }
        return known.kind == .device
            ? nil : .invalid(rule: "A code can replace a whole device only, not a person's part of one.")
    }

    /// Whether a device that is let into a group is given a secret: by the group, or by one whose rule may take it in,
    /// since most of what rules look at is the device's own word.
    static func givesSecrets(_ group: String, _ db: Database) throws -> Bool {
        try Bool.fetchOne(
            db,
            sql: """
                SELECT EXISTS (SELECT 1 FROM secret_assignment WHERE group_name = ?) OR EXISTS (
                    SELECT 1 FROM device_group JOIN secret_assignment ON group_name = name WHERE rule IS NOT NULL)
                """,
            arguments: [group]) == true
    }
}
