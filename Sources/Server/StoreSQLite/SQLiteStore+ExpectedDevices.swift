package import Foundation
import GRDB
import InputBounds
package import Management

extension SQLiteStore {
    package func putExpectedDevices(_ devices: [ExpectedDevice]) async throws -> AdminRefusal? {
        try await write { db in
            if let refusal = try Self.refusal(of: devices, db) { return refusal }
            for device in devices { try Self.expect(device, db) }
            return nil
        }
    }

    package func importExpectedDevices(
        _ table: ExpectedDevicesImport
    ) async throws -> Outcome<ExpectedDevicesChange, AdminRefusal> {
        try await write { db in
            let known = try table.devices.map { try Self.expectedDevice($0.serialNumber, db) }
            // Those that came are not put into a group any more, whatever became of it.
            let coming = zip(table.devices, known).filter { $1?.used == nil }.map(\.0)
            if let refusal = try Self.refusal(of: coming, db) { return .refused(refusal) }
            return try table.decide(knowing: known).map { plan in
                for device in plan.written { try Self.expect(device, db) }
                return plan.change
            }
        }
    }

    /// Why devices cannot be expected in their groups.
    private static func refusal(of devices: [ExpectedDevice], _ db: Database) throws -> AdminRefusal? {
        for (group, inGroup) in Dictionary(grouping: devices, by: \.group) {
            let reachesSecrets = inGroup.allSatisfy(\.reachesSecrets)
            if let refusal = try refusal(ofDevicesIn: group, reachingSecrets: reachesSecrets, db) { return refusal }
        }
        return nil
    }

    private static func expect(_ device: ExpectedDevice, _ db: Database) throws {
        try endUnusedRights(ofSerialNumber: device.serialNumber, db)
        try db.executeCached(
            sql: """
                INSERT OR REPLACE INTO expected_device
                (serial_number, group_name, chip, awaits, author, created, used, reaches_secrets)
                VALUES (?, ?, ?, ?, ?, ?, NULL, ?)
                """,
            arguments: [
                device.serialNumber, device.group, device.chip, device.awaitsConfiguration, device.author,
                device.created.seconds, device.reachesSecrets,
            ])
        try audit(
            .expectDevice, device.serialNumber,
            ["group": .string(device.group), "proof": .string(device.chip == nil ? "none" : "chip")],
            by: .administrator(device.author), db, now: device.created)
    }

    package func expectedDevice(serialNumber: String) async throws -> ExpectedDevice? {
        try await read { db in try Self.expectedDevice(serialNumber, db) }
    }

    package func expectedDevices(_ page: PageRequest) async throws -> Page<ExpectedDevice> {
        try await read { db in
            let rows = try Row.fetchAll(
                db, sql: "SELECT * FROM expected_device WHERE serial_number > ? ORDER BY serial_number LIMIT ?",
                arguments: [page.after ?? "", page.limit + 1])
            return Page(cutting: rows.map(Self.expectedDevice), to: page.limit, cursor: \.serialNumber)
        }
    }

    package func removeExpectedDevice(
        serialNumber: String, author: String, now: Foundation.Date
    ) async throws -> AdminRefusal? {
        try await write { db in
            try db.execute(sql: "DELETE FROM expected_device WHERE serial_number = ?", arguments: [serialNumber])
            guard db.changesCount == 1 else { return .unknownExpectedDevice }
            try Self.endUnusedRights(ofSerialNumber: serialNumber, db)
            try Self.audit(.unexpectDevice, serialNumber, by: .administrator(author), db, now: now)
            return nil
        }
    }

    package func addExpectedRight(_ code: EnrollmentCode, digest: Data) async throws -> Bool {
        guard case .device(let serialNumber, let chip) = code.holder else { return false }
        return try await write { db in
            guard let device = try Self.expectedDevice(serialNumber, db), device.used == nil, device.chip == chip else {
                return false
            }
            try Self.insert(code, digest: digest, db)
            // Others may ask in the device's name: they make neither a heap nor a queue of it.
            try db.execute(
                sql: """
                    DELETE FROM enrollment_code WHERE serial_number = :serial AND state = 'unused' AND number NOT IN (
                        SELECT number FROM enrollment_code WHERE serial_number = :serial AND state = 'unused'
                        ORDER BY number DESC LIMIT :bound)
                    """,
                arguments: ["serial": serialNumber, "bound": ExpectedDevice.openRights])
            return true
        }
    }

    /// A device was let in: no other one is.
    static func useExpectation(ofSerialNumber serialNumber: String, _ db: Database, now: Foundation.Date) throws {
        try db.execute(
            sql: "UPDATE expected_device SET used = ? WHERE serial_number = ?",
            arguments: [now.seconds, serialNumber])
        try endUnusedRights(ofSerialNumber: serialNumber, db)
    }

    private static func endUnusedRights(ofSerialNumber serialNumber: String, _ db: Database) throws {
        try db.execute(
            sql: "DELETE FROM enrollment_code WHERE serial_number = ? AND state = 'unused'",
            arguments: [serialNumber])
    }

    private static func expectedDevice(_ serialNumber: String, _ db: Database) throws -> ExpectedDevice? {
        try Row.fetchOne(
            db, sql: "SELECT * FROM expected_device WHERE serial_number = ?", arguments: [serialNumber]
        ).map(expectedDevice)
    }

    private static func expectedDevice(_ row: Row) -> ExpectedDevice {
        ExpectedDevice(
            serialNumber: row["serial_number"], group: row["group_name"], chip: row["chip"],
            awaitsConfiguration: row["awaits"], author: row["author"], created: row.date("created"),
            used: row.optionalDate("used"), reachesSecrets: row["reaches_secrets"])
    }
}
