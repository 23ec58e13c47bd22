package import Foundation
import GRDB
import InputBounds
package import Management

extension SQLiteStore {
    package func addEnrollmentCode(_ code: EnrollmentCode, digest: Data) async throws -> AdminRefusal? {
        try await write { db in
            if let refusal = try Self.refusal(ofDevicesIn: code.group, reachingSecrets: code.reachesSecrets, db)
                ?? Self.refusal(ofReplacing: code.replaces, db)
            {
                return refusal
            }
            try Self.insert(code, digest: digest, db)
            var details: [String: JSONValue] = [
                "group": .string(code.group), "expires": .moment(code.expires),
            ]
            if let device = code.replaces { details["replaces"] = .string(device) }
            try Self.audit(
                .createEnrollmentCode, code.id, details, by: .administrator(code.author), db, now: code.created)
            return nil
        }
    }

    package func enrollmentCode(digest: Data) async throws -> EnrollmentCode? {
        try await read { db in
            try Row.fetchOne(db, sql: "SELECT * FROM enrollment_code WHERE digest = ?", arguments: [digest])
                .map(Self.enrollmentCode)
        }
    }

    package func enrollmentCodes(_ page: PageRequest) async throws -> Page<EnrollmentCode> {
        let before = page.after.flatMap { Int64($0) } ?? Int64.max
        return try await read { db in
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT * FROM enrollment_code WHERE number < ? AND \(Self.isHandedOver) ORDER BY number DESC LIMIT ?
                    """,
                arguments: [before, page.limit + 1])
            let numbered = try rows.map { row in (number: row["number"] as Int64, code: try Self.enrollmentCode(row)) }
            return Page(cutting: numbered, to: page.limit) { String($0.number) }.map(\.code)
        }
    }

    package func revokeEnrollmentCode(
        id: String, author: String, now: Foundation.Date
    ) async throws -> AdminRefusal? {
        try await write { db in
            // What a spent code let in stays in: that is for withdrawing the device.
            try db.execute(
                sql: """
                    UPDATE enrollment_code SET state = CASE state WHEN 'spent' THEN 'spent' ELSE 'revoked' END WHERE id = ?
                    """,
                arguments: [id])
            guard db.changesCount == 1 else { return .unknownEnrollmentCode }
            try Self.audit(.revokeEnrollmentCode, id, by: .administrator(author), db, now: now)
            return nil
        }
    }

    package func redeem(
        digest: Data, transactionID: String, publicKeyDigest: Data, now: Foundation.Date
    ) async throws -> Outcome<RedeemedCode, CodeRefusal> {
        try await write { db in
            try Self.redeem(digest, transactionID, publicKeyDigest: publicKeyDigest, db, now: now)
        }
    }

    static func redeem(
        _ digest: Data, _ transactionID: String, publicKeyDigest: Data, _ db: Database, now: Foundation.Date
    ) throws -> Outcome<RedeemedCode, CodeRefusal> {
        guard
            let row = try Row.fetchOne(
                db, sql: "SELECT * FROM enrollment_code WHERE digest = ?", arguments: [digest])
        else { return .refused(.unknown) }
        let code = try enrollmentCode(row)
        let redemption = Redemption(code: code, publicKeyDigest: row["key_digest"])
        if let refusal = redemption.refusal(ofKey: publicKeyDigest, now: now) { return .refused(refusal) }
        if case .device(_, .some(let chip)) = code.holder, try !isProven(chip, under: code.id, db) {
            return .refused(.wrongKey)
        }
        try db.execute(
            sql: """
                UPDATE enrollment_code SET state = 'redeemed', transaction_id = ?, key_digest = ? WHERE id = ?
                """,
            arguments: [transactionID, publicKeyDigest, code.id])
        if code.state == .unused {
            switch code.holder {
            case .anyone: break
            case .person(_, let account): try useInvitation(ofAccount: account, db)
            case .device(let serialNumber, _): try useExpectation(ofSerialNumber: serialNumber, db, now: now)
            }
        }
        let issued = try Row.fetchOne(
            db, sql: "SELECT * FROM certificate WHERE code = ? ORDER BY rowid DESC LIMIT 1", arguments: [code.id]
        ).map(certificate)
        return .accepted(RedeemedCode(code: code, issued: issued))
    }

    package func recordIssued(_ certificate: IssuedCertificate) async throws -> CodeRefusal? {
        try await write { db in
            guard
                let row = try Row.fetchOne(
                    db, sql: "SELECT * FROM enrollment_code WHERE id = ?", arguments: [certificate.codeID])
            else { return .unknown }
            switch try Self.enrollmentCode(row).state {
            case .redeemed: break
            case .revoked: return .revoked
            case .spent, .unused: return .used
            }
            guard row["key_digest"] == certificate.publicKeyDigest else { return .wrongKey }
            try Self.insert(certificate, db)
            return nil
        }
    }

    static func insert(_ certificate: IssuedCertificate, _ db: Database) throws {
        try db.execute(
            sql: """
                INSERT INTO certificate (fingerprint, serial, der, code, key_digest, issued, not_after, legacy)
                VALUES (?, ?, ?, ?, ?, ?, ?, COALESCE((SELECT legacy FROM enrollment_code WHERE id = ?), 0))
                """,
            arguments: [
                certificate.fingerprint, certificate.serial, certificate.certificateDER, certificate.codeID,
                certificate.publicKeyDigest, certificate.issued.seconds, certificate.notAfter.seconds,
                certificate.codeID,
            ])
    }

    package func allowsLegacyCryptography(fingerprint: Data) async throws -> Bool {
        try await read { db in
            try Bool.fetchOne(db, sql: "SELECT legacy FROM certificate WHERE fingerprint = ?", arguments: [fingerprint])
                ?? false
        }
    }

    package func issuedCertificate(serial: String) async throws -> IssuedCertificate? {
        try await read { db in
            try Row.fetchOne(db, sql: "SELECT * FROM certificate WHERE serial = ?", arguments: [serial])
                .map(Self.certificate)
        }
    }

    package func issuedCertificate(fingerprint: Data) async throws -> IssuedCertificate? {
        try await read { db in
            try Row.fetchOne(db, sql: "SELECT * FROM certificate WHERE fingerprint = ?", arguments: [fingerprint])
                .map(Self.certificate)
        }
    }

    /// Of the codes, those that administrators made and handed over.
    private static let isHandedOver = "renews IS NULL AND account IS NULL AND serial_number IS NULL"

    static func insert(_ code: EnrollmentCode, digest: Data, _ db: Database) throws {
        var person: String?
        var account: String?
        var serialNumber: String?
        var chip: Data?
        switch code.holder {
        case .anyone: break
        case .person(let name, let signedIn): (person, account) = (name, signedIn)
        case .device(let number, let known): (serialNumber, chip) = (number, known)
        }
        // A right to renew allows what the code of its enrollment did.
        let renewsLegacy = try Bool.fetchOne(
            db, sql: "SELECT EXISTS (SELECT 1 FROM certificate WHERE enrollment = ? AND legacy)",
            arguments: [code.renews])
        let allowsLegacy = code.allowLegacyCryptography || renewsLegacy == true
        try db.execute(
            sql: """
                INSERT INTO enrollment_code
                (id, digest, group_name, ownership, supervised, legacy, author, created, expires, state, renews,
                person, account, serial_number, chip, replaces, reaches_secrets, user_channels)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                code.id, digest, code.group, code.ownership.rawValue, code.supervised, allowsLegacy,
                code.author, code.created.seconds, code.expires.seconds, code.state.rawValue, code.renews,
                person, account, serialNumber, chip, code.replaces, code.reachesSecrets,
                code.announcesUserChannels,
            ])
    }

    private static func holder(_ row: Row) -> EnrollmentHolder {
        if let person: String = row["person"], let account: String = row["account"] {
            return .person(person, account: account)
        }
        if let serialNumber: String = row["serial_number"] {
            return .device(serialNumber: serialNumber, chip: row["chip"])
        }
        return .anyone
    }

    static func enrollmentCode(_ row: Row) throws -> EnrollmentCode {
        EnrollmentCode(
            id: row["id"], group: row["group_name"], ownership: try row.word("ownership"),
            supervised: row["supervised"], allowLegacyCryptography: row["legacy"], author: row["author"],
            created: row.date("created"), expires: row.date("expires"), state: try row.word("state"),
            renews: row["renews"], holder: holder(row), replaces: row["replaces"],
            reachesSecrets: row["reaches_secrets"], announcesUserChannels: row["user_channels"])
    }

    private static func certificate(_ row: Row) -> IssuedCertificate {
        IssuedCertificate(
            serial: row["serial"], fingerprint: row["fingerprint"], certificateDER: row["der"],
            codeID: (row["code"] as String?) ?? "", publicKeyDigest: row["key_digest"], issued: row.date("issued"),
            notAfter: row.date("not_after"))
    }
}
