import DeviceMessages
import Foundation
import GRDB
import InputBounds
import Management

extension SQLiteStore {
    /// What is known of devices, as far as it is needed: a few readings, whatever the number of devices and of facts.
    static func ruleFacts(_ needed: Set<RuleFact>, of devices: [String], _ db: Database) throws -> [RuleFacts] {
        let keys = try text(of: devices)
        var all: [ByteText: RuleFacts] = [:]
        let rows = try Row.fetchCursor(
            db.cachedStatement(
                sql: """
                    SELECT e.*, EXISTS (SELECT 1 FROM chip WHERE chip.enrollment = e.key) AS attested, p.details
                    FROM json_each(?) j CROSS JOIN enrollment e ON e.key = j.value
                    LEFT JOIN person p ON p.user_name = e.person
                    """), arguments: [keys])
        let variables = needed.contains { if case .variable = $0 { true } else { false } }
        while let row = try rows.next() {
            let facts = RuleFacts(device: row["key"], values: try ownFacts(row, withVariables: variables))
            all[ByteText(facts.device)] = facts
        }
        let apps = needed.compactMap { if case .app(let identifier) = $0 { identifier } else { nil } }
        if !apps.isEmpty {
            let rows = try Row.fetchCursor(
                db.cachedStatement(
                    sql: """
                        SELECT a.* FROM json_each(?) j CROSS JOIN json_each(?) n
                        CROSS JOIN app_on_device a ON a.enrollment = j.value AND a.app = n.value
                        """), arguments: [keys, text(of: apps)])
            while let row = try rows.next() {
                all[ByteText(row["enrollment"])]?.values[.app(row["app"])] = row["version"]
            }
        }
        let items = Dictionary(
            needed.compactMap { fact in fact.item.map { ($0, fact) } }, uniquingKeysWith: { first, _ in first })
        if !items.isEmpty {
            let rows = try Row.fetchCursor(
                db.cachedStatement(
                    sql: """
                        SELECT s.enrollment, s.name, s.value FROM json_each(?) j CROSS JOIN json_each(?) n
                        CROSS JOIN status_item s ON s.enrollment = j.value AND s.name = n.value
                        """), arguments: [keys, text(of: items.keys.sorted())])
            while let row = try rows.next() {
                guard let fact = items[row["name"]] else { continue }
                all[ByteText(row["enrollment"])]?.values[fact] = reported(row["value"], of: fact)
            }
        }
        return devices.compactMap { device in
            guard var facts = all[ByteText(device)] else { return nil }
            facts.values = facts.values.filter { needed.contains($0.key) }
            return facts
        }
    }

    /// What stands with the enrollment itself and with its person.
    private static func ownFacts(_ row: Row, withVariables: Bool) throws -> [RuleFact: String] {
        var values: [RuleFact: String] = [:]
        values[.kind] = row["kind"]
        values[.arrival] = row["arrival"]
        values[.ownership] = row["ownership"]
        values[.system] = row["platform"]
        values[.systemVersion] = row["os_version"]
        values[.agentVersion] = row["agent_version"]
        if row["supervised"] { values[.supervised] = "yes" }
        if row["attested"] { values[.attested] = "yes" }
        guard withVariables else { return values }
        let person = row["details"] == nil ? nil : try person(named: row["person"], details: row["details"])
        let sources = ValueSources(
            device: row["key"], facts: try facts(row), person: person, attributes: try attributes(row), secrets: [:])
        for (name, value) in DeviceVariables(sources).values { values[.variable(name)] = value }
        return values
    }

    /// The text of a status item; nothing where it is none, or too long to be compared.
    private static func reported(_ value: Data, of fact: RuleFact) -> String? {
        guard let value = try? JSONValue(parsing: value, limits: InputLimits(bytes: 16_384, objects: 256)) else {
            return nil
        }
        if fact == .keyHolder { return AtRestRecord(value)?.status.keyHolder.rawValue }
        return value.string.flatMap { $0.utf8.count <= GroupRuleLimits.valueBytes ? $0 : nil }
    }
}

extension RuleFact {
    /// The status item of which it is taken.
    fileprivate var item: String? {
        switch self {
        case .model: Self.modelItem
        case .keyHolder: AtRestRecord.item
        case .status(let name): name
        default: nil
        }
    }
}
