import Foundation
import GRDB
import InputBounds
package import Management

extension SQLiteStore {
    package func ruleFacts(
        of device: String, for facts: Set<RuleFact>
    ) async throws -> RuleFacts? {
        try await read { db in try Self.ruleFacts(facts, of: [device], db).first }
    }

    package func ruleCandidates(
        for facts: Set<RuleFact>, group: String?, after key: String, limit: Int
    ) async throws -> [RuleCandidate] {
        try await read { db in
            let rows = try Row.fetchAll(
                db,
                sql: """
                    SELECT key, parent IS NULL AND state IN ('pending', 'enrolled') AS is_judged,
                        EXISTS (SELECT 1 FROM enrollment_group WHERE enrollment = key AND group_name = ?) AS is_member
                    FROM enrollment WHERE key > ? ORDER BY key LIMIT ?
                    """, arguments: [group, key, limit])
            let judged = rows.filter { $0["is_judged"] }
            let known = try Self.ruleFacts(facts, of: judged.map { $0["key"] }, db)
            let byKey = Dictionary(known.map { (ByteText($0.device), $0) }, uniquingKeysWith: { first, _ in first })
            return rows.map { row in
                let key: String = row["key"]
                return RuleCandidate(key: key, facts: byKey[ByteText(key)], isMember: row["is_member"])
            }
        }
    }

    package func deviceNames(of keys: [String]) async throws -> [String: DeviceFacts] {
        let list = try Self.text(of: keys)
        return try await read { db in
            try Row.fetchAll(
                db, sql: "SELECT key, facts FROM enrollment WHERE key IN (SELECT value FROM json_each(?))",
                arguments: [list]
            ).reduce(into: [:]) { names, row in names[row["key"]] = try Self.facts(row) }
        }
    }
}
