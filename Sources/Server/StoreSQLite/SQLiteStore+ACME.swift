package import ACME
package import Foundation
import GRDB
import InputBounds
package import Management

extension SQLiteStore {
    package func openACMEAccount(_ account: ACMEAccount) async throws -> OpenedACMEAccount {
        try await write { db in
            if let known = try Self.account("thumbprint", account.key.thumbprint, db) {
                return OpenedACMEAccount(account: known, isNew: false)
            }
            try db.execute(
                sql:
                    "INSERT INTO acme_account (id, thumbprint, key, contacts, status, created) VALUES (?, ?, ?, ?, ?, ?)",
                arguments: [
                    account.id, account.key.thumbprint, account.key.json.encoded(),
                    account.contacts.joined(separator: "\n"), account.status.rawValue, account.created.seconds,
                ])
            return OpenedACMEAccount(account: account, isNew: true)
        }
    }

    package func acmeAccount(id: String) async throws -> ACMEAccount? {
        try await read { db in try Self.account("id", id, db) }
    }

    package func acmeAccount(thumbprint: String) async throws -> ACMEAccount? {
        try await read { db in try Self.account("thumbprint", thumbprint, db) }
    }

    package func changeACMEAccount(
        id: String, _ change: ACMEAccount.Change
    ) async throws -> Outcome<ACMEAccount, ACMEProblem> {
        try await write { db in
            guard var account = try Self.account("id", id, db) else {
                return .refused(ACMEProblem(.accountDoesNotExist, "There is no such account."))
            }
            do throws(ACMEProblem) { try account.apply(change) } catch { return .refused(error) }
            if case .key(let key) = change, try Self.account("thumbprint", key.thumbprint, db) != nil {
                return .refused(.keyIsTaken)
            }
            try db.execute(
                sql: "UPDATE acme_account SET thumbprint = ?, key = ?, contacts = ?, status = ? WHERE id = ?",
                arguments: [
                    account.key.thumbprint, account.key.json.encoded(), account.contacts.joined(separator: "\n"),
                    account.status.rawValue, id,
                ])
            return .accepted(account)
        }
    }

    // MARK: Rights and orders

    package func addACMEGrant(_ grant: ACMEGrant) async throws {
        try await write { db in
            // Those to older versions are of no use any more; of those to this one the oldest make room.
            try db.execute(
                sql: """
                    UPDATE acme_grant SET state = 'superseded'
                    WHERE secret = :secret AND device = :device AND state = 'live' AND (version <> :version
                        OR digest NOT IN (SELECT digest FROM acme_grant WHERE secret = :secret AND device = :device
                            AND state = 'live' AND version = :version ORDER BY created DESC LIMIT :room))
                    """,
                arguments: [
                    "secret": grant.secret, "device": grant.device, "version": grant.version,
                    "room": ACMEGrant.live - 1,
                ])
            try db.execute(
                sql: """
                    INSERT INTO acme_grant
                        (digest, secret, version, device, attest, profile, state, account, created)
                    VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    grant.digest, grant.secret, grant.version, grant.device, grant.terms.attest, grant.terms.profile,
                    grant.state.rawValue, grant.account, grant.created.seconds,
                ])
        }
    }

    package func addACMEOrder(_ draft: ACMEOrderDraft) async throws -> Outcome<ACMEOrder, ACMEProblem> {
        try await write { db in
            guard let grant = try Self.grant(draft.grant, db) else { return .refused(.unknownIdentifier) }
            if let refusal = grant.refusal(ofOrderBy: draft.account) { return .refused(refusal) }
            guard try !Self.places(of: grant.holder, db).isEmpty else { return .refused(.unknownIdentifier) }
            if let refusal = try Self.refusal(ofMoreOrders: draft, db) { return .refused(refusal) }
            let order = ACMEOrder(
                id: draft.id, account: draft.account, identifier: draft.identifier, terms: grant.terms,
                token: draft.token, now: draft.now)
            try Self.insert(order, grant: draft.grant, db)
            try db.execute(
                sql: "UPDATE acme_grant SET account = ? WHERE digest = ?", arguments: [draft.account, draft.grant])
            return .accepted(order)
        }
    }

    package func acmeOrder(id: String) async throws -> ACMEOrder? {
        try await read { db in
            try Row.fetchOne(db, sql: "SELECT * FROM acme_order WHERE id = ?", arguments: [id]).map(Self.order)
        }
    }

    package func acmeOrders(
        account: String, for purpose: ACMEOrder.Purpose, after cursor: String, limit: Int, now: Foundation.Date
    ) async throws -> [String] {
        try await read { db in
            try String.fetchAll(
                db,
                sql: """
                    SELECT id FROM acme_order
                    WHERE account = ? AND (length(profile) = 0) = ? AND id > ?
                        AND (status = 'valid' OR status <> 'invalid' AND expires > ?)
                    ORDER BY id LIMIT ?
                    """,
                arguments: [account, purpose == .enrollment, cursor, now.seconds, limit])
        }
    }

    package func device(ofACMEOrder id: String) async throws -> Device? {
        try await read { db in
            try String.fetchOne(
                db,
                sql: """
                    SELECT g.device FROM acme_order o JOIN acme_grant g ON g.digest = o.grant_digest WHERE o.id = ?
                    """,
                arguments: [id]
            ).flatMap { try Self.device($0, db) }
        }
    }

    package func changeACMEOrder(
        id: String, _ change: ACMEOrder.Change, certificate: IssuedIdentity?, now: Foundation.Date
    ) async throws -> Outcome<ACMEOrder, ACMEProblem> {
        try await write { db in
            guard let row = try Row.fetchOne(db, sql: "SELECT * FROM acme_order WHERE id = ?", arguments: [id]) else {
                return .refused(ACMEProblem(.malformed, "There is no such order."))
            }
            let withdrawn = ACMEProblem(.unauthorized, "The right to the certificate was withdrawn.")
            guard let grant = try Self.grant(row["grant_digest"], db), grant.state != .withdrawn else {
                return .refused(withdrawn)
            }
            let places = try Self.places(of: grant.holder, db)
            guard !places.isEmpty else { return .refused(withdrawn) }
            var order = try Self.order(row)
            do throws(ACMEProblem) { try order.apply(change, now: now) } catch { return .refused(error) }
            try Self.update(order, db)
            if let certificate {
                try Self.insert(
                    IdentityCertificate(
                        issued: certificate, holder: grant.holder, places: places, account: order.account), db)
            }
            return .accepted(order)
        }
    }

    // MARK: Rows

    static func refusal(ofMoreOrders draft: ACMEOrderDraft, _ db: Database) throws -> ACMEProblem? {
        let ends = try Int64.fetchAll(
            db,
            sql: """
                SELECT expires FROM acme_order WHERE account = ? AND expires > ? AND status IN ('pending', 'ready')
                ORDER BY expires LIMIT ?
                """,
            arguments: [draft.account, draft.now.seconds, ACMEOrderDraft.open])
        guard ends.count >= ACMEOrderDraft.open, let first = ends.first else { return nil }
        return ACMEProblem(
            .rateLimited, "The account has too many orders under way.", retryAfter: Int(first - draft.now.seconds))
    }

    static func insert(_ order: ACMEOrder, grant: Data, _ db: Database) throws {
        try db.execute(
            sql: """
                INSERT INTO acme_order (id, account, grant_digest, kind, value, attest, profile, token, expires, status)
                VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                """,
            arguments: [
                order.id, order.account, grant, order.identifier.kind.rawValue, order.identifier.value,
                order.terms.attest, order.terms.profile, order.token, order.expires.seconds, order.status.rawValue,
            ])
    }

    static func update(_ order: ACMEOrder, _ db: Database) throws {
        try db.execute(
            sql: """
                UPDATE acme_order SET status = ?, attested_key = ?, answered = ?, problem_code = ?,
                    problem_detail = ?, certificate = ? WHERE id = ?
                """,
            arguments: [
                order.status.rawValue, order.attestedKey, order.answered?.seconds, order.problem?.code.rawValue,
                order.problem?.detail, order.certificate, order.id,
            ])
    }

    private static func account(_ column: String, _ value: String, _ db: Database) throws -> ACMEAccount? {
        try Row.fetchOne(db, sql: "SELECT * FROM acme_account WHERE \(column) = ?", arguments: [value]).map { row in
            let contacts: String = row["contacts"]
            return ACMEAccount(
                id: row["id"], key: try JSONWebKey(stored: row["key"]),
                contacts: contacts.split(separator: "\n").map(String.init), status: try row.word("status"),
                created: row.date("created"))
        }
    }

    private static func grant(_ digest: Data, _ db: Database) throws -> ACMEGrant? {
        try Row.fetchOne(db, sql: "SELECT * FROM acme_grant WHERE digest = ?", arguments: [digest]).map { row in
            ACMEGrant(
                digest: digest, secret: row["secret"], version: row["version"], device: row["device"],
                terms: terms(row), state: try row.word("state"), account: row["account"],
                created: row.date("created"))
        }
    }

    static func order(_ row: Row) throws -> ACMEOrder {
        var problem: ACMEProblem?
        if (row["problem_code"] as String?) != nil {
            problem = ACMEProblem(try row.word("problem_code"), row["problem_detail"])
        }
        return ACMEOrder(
            id: row["id"], account: row["account"], identifier: ACMEIdentifier(try row.word("kind"), row["value"]),
            terms: terms(row), token: row["token"], expires: row.date("expires"), status: try row.word("status"),
            attestedKey: row["attested_key"], answered: row.optionalDate("answered"), problem: problem,
            certificate: row["certificate"])
    }

    private static func terms(_ row: Row) -> ACMEGrant.Terms {
        ACMEGrant.Terms(attest: row["attest"], profile: row["profile"])
    }
}

extension ACMEGrant {
    fileprivate var holder: IdentityHolder { IdentityHolder(secret: secret, version: version, device: device) }
}
