package import Foundation
import GRDB
import InputBounds
package import Management

extension SQLiteStore {
    package func putInvitation(_ invitation: Invitation) async throws -> AdminRefusal? {
        try await write { db in
            guard try Self.personExists(invitation.person, db) else { return .unknownPerson }
            if let refusal = try Self.refusal(
                ofDevicesIn: invitation.group, reachingSecrets: invitation.reachesSecrets, db)
            {
                return refusal
            }
            let holder = try String.fetchOne(
                db, sql: "SELECT person FROM invitation WHERE account = ?", arguments: [invitation.account])
            guard holder == nil || holder == invitation.person else { return .nameTaken }
            try Self.endInvitation(of: invitation.person, db)
            try db.execute(
                sql: """
                    INSERT INTO invitation
                    (account, person, group_name, password_hash, author, created, expires, reaches_secrets)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    invitation.account, invitation.person, invitation.group, invitation.passwordHash,
                    invitation.author, invitation.created.seconds, invitation.expires.seconds,
                    invitation.reachesSecrets,
                ])
            try Self.audit(
                .invitePerson, invitation.person,
                [
                    "account": .string(invitation.account), "group": .string(invitation.group),
                    "expires": .moment(invitation.expires),
                ], by: .administrator(invitation.author), db, now: invitation.created)
            return nil
        }
    }

    package func invitation(account: String) async throws -> Invitation? {
        try await read { db in
            try Row.fetchOne(db, sql: "SELECT * FROM invitation WHERE account = ?", arguments: [account])
                .map(Self.invitation)
        }
    }

    package func invitation(of person: String) async throws -> Invitation? {
        try await read { db in
            try Row.fetchOne(db, sql: "SELECT * FROM invitation WHERE person = ?", arguments: [person])
                .map(Self.invitation)
        }
    }

    package func invitations(_ page: PageRequest) async throws -> Page<Invitation> {
        try await read { db in
            let rows = try Row.fetchAll(
                db, sql: "SELECT * FROM invitation WHERE account > ? ORDER BY account LIMIT ?",
                arguments: [page.after ?? "", page.limit + 1])
            return Page(cutting: rows.map(Self.invitation), to: page.limit, cursor: \.account)
        }
    }

    package func removeInvitation(
        of person: String, author: String, now: Foundation.Date
    ) async throws -> AdminRefusal? {
        try await write { db in
            guard try Self.endInvitation(of: person, db) else { return .unknownInvitation }
            try Self.audit(.uninvitePerson, person, by: .administrator(author), db, now: now)
            return nil
        }
    }

    package func addAccountRight(
        _ code: EnrollmentCode, digest: Data, of invitation: Invitation
    ) async throws -> Bool {
        try await write { db in
            let hash = try String.fetchOne(
                db, sql: "SELECT password_hash FROM invitation WHERE account = ?", arguments: [invitation.account])
            guard hash == invitation.passwordHash else { return false }
            try Self.endUnusedRights(ofAccount: invitation.account, db)
            try Self.insert(code, digest: digest, db)
            try Self.audit(
                .signIn, invitation.person, ["code": .string(code.id), "account": .string(invitation.account)],
                by: .server, db, now: code.created)
            return true
        }
    }

    /// The right was used: so was the invitation that gave it.
    static func useInvitation(ofAccount account: String, _ db: Database) throws {
        try db.execute(sql: "DELETE FROM invitation WHERE account = ?", arguments: [account])
        try endUnusedRights(ofAccount: account, db)
    }

    /// Ends an invitation and what it gave that nobody used.
    @discardableResult
    static func endInvitation(of person: String, _ db: Database) throws -> Bool {
        let accounts = try String.fetchAll(
            db, sql: "DELETE FROM invitation WHERE person = ? RETURNING account", arguments: [person])
        for account in accounts { try endUnusedRights(ofAccount: account, db) }
        return !accounts.isEmpty
    }

    private static func endUnusedRights(ofAccount account: String, _ db: Database) throws {
        try db.execute(
            sql: "DELETE FROM enrollment_code WHERE account = ? AND state = 'unused'", arguments: [account])
    }

    private static func personExists(_ userName: String, _ db: Database) throws -> Bool {
        try Bool.fetchOne(
            db, sql: "SELECT EXISTS (SELECT 1 FROM person WHERE user_name = ?)", arguments: [userName]) == true
    }

    private static func invitation(_ row: Row) -> Invitation {
        Invitation(
            account: row["account"], person: row["person"], group: row["group_name"],
            passwordHash: row["password_hash"], author: row["author"], created: row.date("created"),
            expires: row.date("expires"), reachesSecrets: row["reaches_secrets"])
    }
}
