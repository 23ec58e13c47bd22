import Foundation
import GRDB
import InputBounds
import Management

extension SQLiteStore {
    /// What a device runs; the channel of a user runs what its device does.
    static func audience(_ row: Row, _ db: Database) throws -> DeviceAudience {
        guard let parent: String = row["parent"] else { return audience(row) }
        return try audience(of: parent, db) ?? DeviceAudience()
    }

    static func audience(of device: String, _ db: Database) throws -> DeviceAudience? {
        let statement = try db.cachedStatement(
            sql: """
                SELECT platform, os_version, agent_version, taken_types, tells_feedback, takes_app_commands, ownership
                FROM enrollment WHERE key = ?
                """)
        return try Row.fetchOne(statement, arguments: [device]).map(audience)
    }

    static func setAudience(_ audience: DeviceAudience, of device: String, _ db: Database) throws {
        try db.executeCached(
            sql: """
                UPDATE enrollment SET platform = ?, os_version = ?, agent_version = ?, taken_types = ?,
                    tells_feedback = ?, takes_app_commands = ? WHERE key = ?
                """,
            arguments: [
                audience.platform?.rawValue, audience.osVersion?.description, audience.agentVersion?.description,
                try audience.takenTypes.map { try text(of: $0.sorted()) }, audience.tellsFeedback,
                audience.takesAppCommands, device,
            ])
    }

    /// Learns from a report what the device runs, and answers whether that is new.
    static func learnAudience(
        of device: String, from items: [String: JSONValue], _ db: Database
    ) throws -> Bool {
        guard DeviceAudience.isTold(by: items), let known = try audience(of: device, db) else { return false }
        let present = known.learning(from: items)
        guard present != known else { return false }
        try setAudience(present, of: device, db)
        return true
    }

    /// What a device of an older server runs, by its enrollment's facts and what it last reported of its system.
    static func audienceBeforeItWasKept(_ row: Row) throws -> DeviceAudience {
        let facts = try facts(row)
        var items: [String: JSONValue] = [:]
        for (column, name) in [("family", DeviceAudience.family), ("version", DeviceAudience.version)] {
            guard let value: Data = row[column] else { continue }
            items[name] = try? JSONValue(parsing: value, limits: InputLimits(bytes: 4_096, objects: 16))
        }
        return DeviceAudience(
            platform: (facts.productName ?? facts.modelName).flatMap { DevicePlatform(product: $0) },
            osVersion: facts.osVersion.flatMap { SystemVersion(saidBy: $0) }
        ).learning(from: items)
    }

    /// Types that no kind of setting has any more are passed over.
    private static func takenTypes(_ row: Row) -> Set<String>? {
        guard let text: String = row["taken_types"],
            let types = try? JSONDecoder().decode([String].self, from: Data(text.utf8))
        else { return nil }
        return SettingKind.types.intersection(types)
    }

    private static func audience(_ row: Row) -> DeviceAudience {
        DeviceAudience(
            platform: (row["platform"] as String?).flatMap { DevicePlatform(rawValue: $0) },
            osVersion: version(row, "os_version"), agentVersion: version(row, "agent_version"),
            takenTypes: takenTypes(row), tellsFeedback: row["tells_feedback"],
            takesAppCommands: row["takes_app_commands"],
            isOfAPerson: (row["ownership"] as String?) == "personal")
    }
}
