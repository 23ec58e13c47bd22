import Foundation
import GRDB
package import Management

extension SQLiteStore {
    package func attributeState(of device: String) async throws -> AttributeState? {
        try await read { db in try Self.attributeState(device, db) }
    }

    package func attributeStates(ofEach references: [DeviceReference]) async throws -> [[AttributeState]] {
        try await read { db in try references.map { try Self.attributeStates(of: $0, db) } }
    }

    package func changeAttributes(
        of device: String, by decide: @escaping @Sendable (AttributeState?) -> Outcome<AttributeChange, AdminRefusal>
    ) async throws -> Outcome<AttributeChange, AdminRefusal> {
        try await write { db in
            let outcome = decide(try Self.attributeState(device, db))
            if case .accepted(let change) = outcome { try Self.apply([change], db) }
            return outcome
        }
    }

    package func changeAttributes(
        ofEach references: [DeviceReference],
        by decide: @escaping @Sendable ([[AttributeState]]) -> Outcome<[AttributeChange], AdminRefusal>
    ) async throws -> Outcome<[AttributeChange], AdminRefusal> {
        try await write { db in
            let outcome = decide(try references.map { try Self.attributeStates(of: $0, db) })
            if case .accepted(let changes) = outcome { try Self.apply(changes, db) }
            return outcome
        }
    }

    // MARK: Rows

    /// The attributes of a row of `enrollment`.
    static func attributes(_ row: Row) throws -> AttributeSet {
        guard let text = row["attributes"] as String? else { return AttributeSet() }
        return AttributeSet(try JSONDecoder().decode([String: String].self, from: Data(text.utf8)))
    }

    private static func attributeState(_ key: String, _ db: Database) throws -> AttributeState? {
        let statement = try db.cachedStatement(sql: "SELECT key, state, attributes FROM enrollment WHERE key = ?")
        return try Row.fetchOne(statement, arguments: [key]).map { try attributeState($0, db) }
    }

    private static func attributeStates(of reference: DeviceReference, _ db: Database) throws -> [AttributeState] {
        switch reference {
        case .id(let id): return try attributeState(id, db).map { [$0] } ?? []
        case .serialNumber(let number): return try attributeStates(serialNumber: number, db)
        case .text(let text):
            let numbered = try attributeStates(serialNumber: text, db)
            guard let state = try attributeState(text, db) else { return numbered }
            // At most one of the two has the text as its ID, so another device with the serial number is not missed.
            return [state] + numbered.filter { $0.device.key != state.device.key }.prefix(1)
        }
    }

    /// Selects at most two enrolled devices with a serial number.
    private static func attributeStates(serialNumber: String, _ db: Database) throws -> [AttributeState] {
        let statement = try db.cachedStatement(
            sql: """
                SELECT key, state, attributes FROM enrollment
                WHERE \(Schema.serialNumber) = :number AND \(Schema.saidSerialNumber) = :number
                    AND parent IS NULL AND state IN ('pending', 'enrolled') LIMIT 2
                """)
        return try Row.fetchAll(statement, arguments: ["number": serialNumber]).map { try attributeState($0, db) }
    }

    private static func attributeState(_ row: Row, _ db: Database) throws -> AttributeState {
        let key: String = row["key"]
        return AttributeState(
            device: ConcernedDevice(key: key, groups: try groups(of: key, db)), state: try row.word("state"),
            attributes: try attributes(row))
    }

    // MARK: Applying

    private static func apply(_ changes: [AttributeChange], _ db: Database) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = .sortedKeys
        var tail = try AuditTail(db)
        for change in changes {
            guard let record = change.audit else { continue }
            let values = change.attributes.values
            let text: String? = values.isEmpty ? nil : String(decoding: try encoder.encode(values), as: UTF8.self)
            try db.executeCached(
                sql: "UPDATE enrollment SET attributes = ?, values_changed = ? WHERE key = ?",
                arguments: [text, record.time.seconds, change.device.key])
            try noteDue(change.device.key, lookingAt: change.variables, db)
            try tail.append(
                record.action, record.subject, record.details, by: record.actor, db, now: record.time)
        }
    }
}
