import Foundation
import GRDB
package import Management

extension SQLiteStore {
    package func beginRequest(_ request: BegunRequest) async throws -> RequestStanding {
        try await write { db in
            let kept = try Row.fetchOne(
                db.cachedStatement(sql: "SELECT * FROM request WHERE digest = ? AND begun > ?"),
                arguments: [request.mark.digest, request.now.addingTimeInterval(-RequestLimits.seconds).seconds])
            guard let kept else {
                try Self.add(request, db)
                return .begun
            }
            guard (kept["fingerprint"] as Data) == request.fingerprint else { return .another }
            if let sealed = kept["answer"] as Data? {
                return .answered(SealedAnswer(masterKeyID: kept["master_key"], sealed: sealed))
            }
            if (kept["life"] as Data) == request.mark.life { return .underWay }
            guard !(kept["changed"] as Bool) else { return .unanswered }
            try db.executeCached(
                sql: "UPDATE request SET life = ?, begun = ? WHERE digest = ?",
                arguments: [request.mark.life, request.now.seconds, request.mark.digest])
            return .begun
        }
    }

    private static func add(_ request: BegunRequest, _ db: Database) throws {
        try db.executeCached(
            sql: """
                INSERT OR REPLACE INTO request (digest, principal, fingerprint, begun, life, changed)
                VALUES (?, ?, ?, ?, ?, 0)
                """,
            arguments: [
                request.mark.digest, request.principal, request.fingerprint, request.now.seconds, request.mark.life,
            ])
        try db.executeCached(
            sql: """
                DELETE FROM request WHERE answer IS NOT NULL AND digest IN (SELECT digest FROM request
                    WHERE principal = ? ORDER BY begun DESC, digest LIMIT -1 OFFSET ?)
                """,
            arguments: [request.principal, RequestLimits.most])
    }

    package func keepAnswer(_ answer: SealedAnswer, to mark: RequestMark) async throws {
        try await write { db in
            // A refusal after a change is kept once the request has ended.
            try db.executeCached(
                sql: """
                    UPDATE request SET master_key = ?, answer = ?
                    WHERE digest = ? AND life IN (?, X'') AND answer IS NULL
                    """,
                arguments: [answer.masterKeyID, answer.sealed, mark.digest, mark.life])
        }
    }

    package func endRequest(_ mark: RequestMark) async throws -> Bool {
        try await write { db in
            try db.executeCached(
                sql: "DELETE FROM request WHERE digest = ? AND life = ? AND changed = 0 AND answer IS NULL",
                arguments: [mark.digest, mark.life])
            if db.changesCount > 0 { return true }
            // No life is empty, so a repeated request gets that the answer is lost.
            try db.executeCached(
                sql: "UPDATE request SET life = X'' WHERE digest = ? AND life = ? AND answer IS NULL",
                arguments: [mark.digest, mark.life])
            return false
        }
    }

    /// The operation, and in its transaction the mark of the request that is being carried out, if it changes anything.
    static func marked<Value>(
        _ mark: RequestMark, _ operation: @escaping @Sendable (Database) throws -> Value
    ) -> @Sendable (Database) throws -> Value {
        { db in
            let before = db.totalChangesCount
            let value = try operation(db)
            if db.totalChangesCount != before {
                try db.executeCached(
                    sql: "UPDATE request SET changed = 1 WHERE digest = ? AND life = ? AND changed = 0",
                    arguments: [mark.digest, mark.life])
            }
            return value
        }
    }
}
