package import Foundation
import GRDB
import InputBounds
package import Management

extension SQLiteStore {
    /// Users of one device: a device makes them up as it likes.
    private static let usersPerDevice = 256

    package func authenticate(_ draft: EnrollmentDraft) async throws -> Outcome<DeviceContext, DeviceRefusal> {
        try await write { db in
            let certificate = try Row.fetchOne(
                db, sql: "SELECT code, enrollment FROM certificate WHERE fingerprint = ?",
                arguments: [draft.fingerprint])
            let code = try (certificate?["code"] as String?).flatMap { id in
                try Row.fetchOne(db, sql: "SELECT * FROM enrollment_code WHERE id = ?", arguments: [id])
            }.map(Self.enrollmentCode)
            let existing = try Self.context(draft.key, db)
            let authentication = Authentication(
                certificatePinnedTo: certificate?["enrollment"], isIssued: certificate != nil, codeState: code?.state,
                renews: code?.renews, chipOf: try code.flatMap { try Self.owner(ofChipUnder: $0.id, db) },
                replaces: code?.replaces, existing: existing.map { ($0.state, $0.fingerprint, $0.kind) })
            if let refusal = authentication.refusal(
                key: draft.key, kind: draft.kind, fingerprint: draft.fingerprint)
            {
                if refusal == .identifierTaken, let code { try Self.noteRefused(draft, code, db) }
                return .refused(refusal)
            }
            if let refusal = code?.refusal(of: draft) { return .refused(refusal) }
            if let existing, existing.fingerprint == draft.fingerprint {
                try Self.repeatEnrollment(draft, db)
                try Self.setAudience(existing.audience.learning(draft.audience), of: draft.key, db)
            } else if let existing, let code, code.renews != nil {
                try Self.renewEnrollment(draft, code, db)
                try Self.setAudience(existing.audience.learning(draft.audience), of: draft.key, db)
            } else if let code {
                if case .person(let person, _) = code.holder {
                    // An administrator may have removed the person since.
                    guard try Self.mayHaveAnotherDevice(person, db) else {
                        return .refused(.mismatch(log: "Authenticate for a person who is gone or has too many devices"))
                    }
                }
                // A secret may have been given to the group since the code was made.
                guard try code.reachesSecrets || !Self.givesSecrets(code.group, db) else {
                    return .refused(.secretsOutOfReach)
                }
                if let existing, authentication.isReplacement(fingerprint: draft.fingerprint) {
                    try Self.noteReplaced(existing, code, db, now: draft.now)
                }
                try Self.beginEnrollment(draft, code, db)
                try Self.setAudience(draft.audience, of: draft.key, db)
            }
            try Self.noteDue(draft.key, db)
            guard let context = try Self.context(draft.key, db) else { throw TransactionLost() }
            return .accepted(context)
        }
    }

    package func updateToken(
        key: String, userOf parent: String?, push: PushDetails, now: Foundation.Date
    ) async throws -> Outcome<DeviceContext, DeviceRefusal> {
        try await write { db in
            if let parent {
                try db.execute(
                    sql: """
                        INSERT OR IGNORE INTO enrollment
                        (key, kind, parent, state, ownership, supervised, fingerprint, epoch, facts, enrolled)
                        SELECT ?, 'user', key, 'enrolled', ownership, supervised, fingerprint, epoch, '{}', ?
                        FROM enrollment WHERE key = ? AND ? > (SELECT COUNT(*) FROM enrollment WHERE parent = ?)
                        """,
                    arguments: [key, now.seconds, parent, Self.usersPerDevice, parent])
            }
            try db.execute(
                sql: """
                    UPDATE enrollment SET state = 'enrolled', push_retired = IIF(push_token = ?1, push_retired, NULL),
                        push_token = ?1, push_magic = ?, awaiting = COALESCE(?, awaiting)
                    WHERE key = ? AND state IN ('pending', 'enrolled')
                    """,
                arguments: [push.token, push.pushMagic, push.awaitingConfiguration, key])
            guard db.changesCount == 1, let context = try Self.context(key, db) else {
                return .refused(.unknownDevice(log: "TokenUpdate of an enrollment that is not open"))
            }
            if let sealed = push.unlockToken { try Self.keep(sealed, as: .unlock, of: key, db, now: now) }
            return .accepted(context)
        }
    }

    package func checkOut(key: String, now: Foundation.Date) async throws {
        try await write { db in
            try Self.audit(.checkOutDevice, key, by: .device(key), db, now: now)
            try Self.end(key, as: .checkedOut, by: .device(key), db, now: now)
        }
    }

    package func withdraw(_ id: String, author: String, now: Foundation.Date) async throws -> AdminRefusal? {
        try await write { db in
            guard try Self.context(id, db) != nil else { return .unknownDevice }
            try Self.audit(.withdrawDevice, id, by: .administrator(author), db, now: now)
            try Self.end(id, as: .withdrawn, by: .administrator(author), db, now: now)
            return nil
        }
    }

    // MARK: Lives of an enrollment

    /// The same device with the same certificate again: an answer was lost, or its profile was installed once more.
    ///
    /// It forgot its declarations; its commands are still meant for it. A device that is enrolled stays so, and since when:
    /// the message may be an old one that somebody sends again, and a device that means it sends its TokenUpdate next.
    private static func repeatEnrollment(_ draft: EnrollmentDraft, _ db: Database) throws {
        try db.execute(
            sql: """
                UPDATE enrollment SET epoch = epoch + 1, facts = ?, enrolled = IIF(state = 'pending', ?, enrolled),
                    told_token = NULL, told_sequence = told_sequence + 1, items_token = NULL, settled_token = NULL
                WHERE key = ?
                """,
            arguments: [try text(of: draft.facts), draft.now.seconds, draft.key])
    }

    /// A new life, by a code: whatever was meant for an earlier one is dropped, or an old EraseDevice would take effect
    /// on the device that was set up again.
    private static func beginEnrollment(_ draft: EnrollmentDraft, _ code: EnrollmentCode, _ db: Database) throws {
        try end(draft.key, as: .checkedOut, by: .device(draft.key), db, now: draft.now)
        let arrival = Arrival(code)
        var details: [String: JSONValue] = ["code": .string(code.id), "group": .string(code.group)]
        var person: String?
        switch code.holder {
        case .anyone: break
        case .person(let name, let account):
            person = name
            details["account"] = .string(account)
            details["person"] = .string(name)
        case .device(let serialNumber, _): details["expected"] = .string(serialNumber)
        }
        try db.execute(
            sql: """
                INSERT INTO enrollment (key, kind, state, ownership, supervised, fingerprint, epoch, facts, enrolled,
                    arrival, account, person, access_digest, access_since, user_channels)
                VALUES (:key, :kind, 'pending', :ownership, :supervised, :fingerprint, 1, :facts, :now, :arrival,
                    :account, :person, (SELECT digest FROM enrollment_code WHERE id = :code AND account IS NOT NULL),
                    :now, :channels)
                ON CONFLICT (key) DO UPDATE SET kind = excluded.kind, state = 'pending', ownership = excluded.ownership,
                    supervised = excluded.supervised, fingerprint = excluded.fingerprint, epoch = epoch + 1,
                    facts = excluded.facts, enrolled = excluded.enrolled, previous_fingerprint = NULL,
                    arrival = excluded.arrival, account = excluded.account, person = excluded.person,
                    access_digest = excluded.access_digest, access_since = excluded.access_since, access_ended = 0,
                    user_channels = excluded.user_channels
                """,
            arguments: [
                "key": draft.key, "kind": draft.kind.rawValue, "ownership": code.ownership.rawValue,
                "supervised": code.supervised && (draft.obeysSupervision || arrival.kind == .expected),
                "fingerprint": draft.fingerprint, "facts": try text(of: draft.facts), "now": draft.now.seconds,
                "arrival": arrival.kind.rawValue, "account": arrival.account, "person": person,
                "code": code.id, "channels": arrival.hasUserChannels,
            ])
        // Users of the device speak with its certificate; they begin again with their TokenUpdate.
        try db.execute(sql: "DELETE FROM enrollment WHERE parent = ?", arguments: [draft.key])
        try db.execute(
            sql: "INSERT INTO enrollment_group (enrollment, group_name) VALUES (?, ?)",
            arguments: [draft.key, code.group])
        try pin(draft.fingerprint, to: draft.key, by: code, db, now: draft.now)
        try audit(
            .enrollDevice, draft.key, details, by: .device(draft.key), db, now: draft.now)
    }

    /// The same life by another identity: what was meant for the device still is, and the identity before serves until
    /// this one was used.
    private static func renewEnrollment(_ draft: EnrollmentDraft, _ code: EnrollmentCode, _ db: Database) throws {
        try db.execute(
            sql: """
                UPDATE enrollment SET previous_fingerprint = fingerprint, fingerprint = :fingerprint
                WHERE key = :key OR parent = :key
                """,
            arguments: ["fingerprint": draft.fingerprint, "key": draft.key])
        try db.execute(
            sql: """
                UPDATE enrollment SET epoch = epoch + 1, facts = ?, told_token = NULL,
                    told_sequence = told_sequence + 1, items_token = NULL, settled_token = NULL
                WHERE key = ?
                """,
            arguments: [try text(of: draft.facts), draft.key])
        try pin(draft.fingerprint, to: draft.key, by: code, db, now: draft.now)
    }

    /// From now on the certificate is the enrollment's, its code is used up, and its own renewal is awaited.
    static func pin(
        _ fingerprint: Data, to device: String, by code: EnrollmentCode, _ db: Database, now: Foundation.Date
    ) throws {
        try db.execute(
            sql: "UPDATE certificate SET enrollment = ? WHERE fingerprint = ?", arguments: [device, fingerprint])
        try db.execute(sql: "UPDATE enrollment_code SET state = 'spent' WHERE id = ?", arguments: [code.id])
        try awaitRenewal(of: device, fingerprint: fingerprint, db)
        try keepChip(under: code.id, of: device, db, now: now)
    }

    /// Ends a life: commands, status, membership, the person, the attributes and everything needed to wake the device go.
    private static func end(
        _ key: String, as state: EnrollmentState, by actor: AuditActor, _ db: Database, now: Foundation.Date
    ) throws {
        try db.execute(
            sql: """
                UPDATE enrollment SET state = ?, push_token = NULL, push_magic = NULL, unlock_token = NULL, awaiting = 0,
                    told_token = NULL, told_sequence = told_sequence + 1, items_token = NULL, settled_token = NULL, person = NULL,
                    attributes = NULL, previous_fingerprint = NULL
                WHERE key = ? OR parent = ?
                """,
            arguments: [state.rawValue, key, key])
        try db.execute(
            sql: """
                UPDATE command SET state = 'dropped', deferred = 0, finished = ?,
                    document = CASE WHEN expires IS NULL THEN document ELSE x'' END
                WHERE finished IS NULL AND enrollment IN (SELECT key FROM enrollment WHERE key = ? OR parent = ?)
                """,
            arguments: [now.seconds, key, key])
        try endRenewal(of: key, db)
        // Privilege withdrawn, or cessation of operation (RFC 5280 §5.3.1).
        try endIdentities(of: key, reason: state == .withdrawn ? 9 : 5, by: actor, db, now: now)
        for table in [
            "status_item", "status_report", "enrollment_group", "snapshot_device", "app_on_device", "app_state",
            "app_alert", "app_withheld", "app_rejected", "refusal", "configuration_on_device", "escrowed_token",
        ] {
            try db.execute(
                sql: """
                    DELETE FROM \(table) WHERE enrollment IN (SELECT key FROM enrollment WHERE key = ? OR parent = ?)
                    """,
                arguments: [key, key])
        }
    }

    private static func text(of facts: DeviceFacts) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        return String(decoding: try encoder.encode(facts), as: UTF8.self)
    }
}
