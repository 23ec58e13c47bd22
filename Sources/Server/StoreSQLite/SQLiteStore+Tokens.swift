package import Foundation
import GRDB
import InputBounds
package import Management

extension SQLiteStore {
    package func addToken(_ token: APIToken, digest: Data) async throws -> AdminRefusal? {
        try await write { db in
            guard try Self.administrator(token.administrator, db) != nil else { return .unknownAdministrator }
            let names = try String.fetchAll(
                db, sql: "SELECT name FROM api_token WHERE administrator = ? AND expires > ? AND revoked IS NULL",
                arguments: [token.administrator, token.created.seconds])
            guard !names.contains(token.name) else { return .nameTaken }
            guard names.count < APIToken.most else {
                return .invalid(rule: "An administrator has up to \(APIToken.most) API tokens.")
            }
            let scope = token.scope
            try db.execute(
                sql: """
                    INSERT INTO api_token (id, digest, administrator, name, role, apps, groups, read_only, administers,
                        created, expires) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)
                    """,
                arguments: [
                    token.id, digest, token.administrator, token.name, scope.rights.role.rawValue,
                    Self.listText(scope.rights.apps), Self.listText(scope.rights.groups), scope.isReadOnly,
                    scope.administers,
                    token.created.seconds, token.expires.seconds,
                ])
            var details = Self.details(scope.rights)
            details["expires"] = .moment(token.expires)
            if scope.isReadOnly { details["readOnly"] = .boolean(true) }
            if scope.administers { details["administers"] = .boolean(true) }
            try Self.audit(
                .createToken, token.author, details, by: .administrator(token.administrator), db, now: token.created)
            return nil
        }
    }

    package func token(
        digest: Data, now: Foundation.Date
    ) async throws -> (token: APIToken, owner: Administrator)? {
        try await read { db in try Self.liveToken("digest = ?", [digest], db, now: now) }
    }

    package func token(
        named name: String, of administrator: String, now: Foundation.Date
    ) async throws -> (token: APIToken, owner: Administrator)? {
        try await read { db in
            try Self.liveToken("administrator = ? AND name = ?", [administrator, name], db, now: now)
        }
    }

    private static func liveToken(
        _ condition: String, _ arguments: StatementArguments, _ db: Database, now: Foundation.Date
    ) throws -> (token: APIToken, owner: Administrator)? {
        let row = try Row.fetchOne(
            db, sql: "SELECT * FROM api_token WHERE \(condition) AND expires > ? AND revoked IS NULL",
            arguments: arguments + [now.seconds])
        guard let token = try row.map(token), let owner = try administrator(token.administrator, db) else { return nil }
        return (token, owner)
    }

    package func tokens(of administrator: String?, _ page: PageRequest) async throws -> Page<APIToken> {
        let before = page.after.flatMap { Int64($0) } ?? Int64.max
        return try await read { db in
            let condition = administrator == nil ? "" : "AND administrator = ?"
            let rows = try Row.fetchAll(
                db, sql: "SELECT * FROM api_token WHERE number < ? \(condition) ORDER BY number DESC LIMIT ?",
                arguments: StatementArguments([before] + (administrator.map { [$0] } ?? []) + [page.limit + 1]))
            let numbered = try rows.map { row in (number: row["number"] as Int64, token: try Self.token(row)) }
            return Page(cutting: numbered, to: page.limit) { String($0.number) }.map(\.token)
        }
    }

    package func revokeToken(
        id: String, of administrator: String?, author: String, now: Foundation.Date
    ) async throws -> AdminRefusal? {
        try await write { db in
            let row = try Row.fetchOne(db, sql: "SELECT * FROM api_token WHERE id = ?", arguments: [id])
            guard let token = try row.map(Self.token), administrator.map({ $0 == token.administrator }) ?? true else {
                return .unknownToken
            }
            // One that has ended stays ended.
            guard token.revoked == nil, token.expires > now else { return nil }
            try db.execute(sql: "UPDATE api_token SET revoked = ? WHERE id = ?", arguments: [now.seconds, id])
            try Self.audit(.revokeToken, token.author, by: .administrator(author), db, now: now)
            return nil
        }
    }

    package func recordTokenUses(_ uses: [String: Foundation.Date]) async throws {
        let all = Array(uses)
        for start in stride(from: 0, to: all.count, by: 1_000) {
            let part = all[start..<min(start + 1_000, all.count)]
            try await write { db in
                let statement = try db.cachedStatement(sql: "UPDATE api_token SET last_used = ? WHERE id = ?")
                for (id, date) in part { try statement.execute(arguments: [date.seconds, id]) }
            }
        }
    }

    /// Ends every live token of an administrator, as part of what the log says of them then.
    static func endTokens(of administrator: String, _ db: Database, now: Foundation.Date) throws {
        try db.execute(
            sql: "UPDATE api_token SET revoked = ? WHERE administrator = ? AND expires > ? AND revoked IS NULL",
            arguments: [now.seconds, administrator, now.seconds])
    }

    private static func token(_ row: Row) throws -> APIToken {
        APIToken(
            id: row["id"], administrator: row["administrator"], name: row["name"],
            scope: TokenScope(
                rights: try rights(row), isReadOnly: row["read_only"], administers: row["administers"]),
            created: row.date("created"), expires: row.date("expires"), revoked: row.optionalDate("revoked"),
            lastUsed: row.optionalDate("last_used"))
    }
}
