import Foundation
import InputBounds

/// What holds for the devices of a table whose lines do not say otherwise.
package struct ExpectedDeviceDefaults: Sendable {
    /// The group that they join.
    package let group: String?
    /// Whether a serial number alone lets a device in.
    package let trustsSerialNumbers: Bool
    /// Whether devices wait in their setup until their apps and configurations are there; nothing if that is not said:
    /// those that are expected already stay as they are, new ones do not wait.
    package let awaitsConfiguration: Bool?
    /// Whether the table may change the group, chip or setup of devices that are expected already.
    package let replaces: Bool
    /// Whether who sends the table may give secrets.
    package let reachesSecrets: Bool

    package init(
        group: String? = nil, trustsSerialNumbers: Bool = false, awaitsConfiguration: Bool? = nil,
        replaces: Bool = false, reachesSecrets: Bool = true
    ) {
        self.replaces = replaces
        self.reachesSecrets = reachesSecrets
        self.group = group
        self.awaitsConfiguration = awaitsConfiguration
        self.trustsSerialNumbers = trustsSerialNumbers
    }
}

/// Reads expected devices out of a table: `serialNumber` and, if need be, `group` and `chip`.
///
/// A list of nothing but serial numbers needs no header: its first line has no comma, and is not `serialNumber`.
enum ExpectedDeviceTable {
    private static let key = "serialNumber"

    static func devices(
        in data: Data, _ defaults: ExpectedDeviceDefaults, author: String, now: Date
    ) throws(CSVRefusal) -> ExpectedDevicesImport {
        let isList = isList(data)
        // The header of a list is ours, and its lines are counted as they stand in the file.
        let shift = isList ? 1 : 0
        let table: CSVTable
        do {
            table = try CSVTable(parsing: isList ? Data("\(key)\n".utf8) + bare(data) : data, limits: .adminTable)
        } catch {
            throw CSVRefusal(line: max(1, error.line - shift), column: error.column, rule: error.rule)
        }
        var columns: [String: Int] = [:]
        for (index, name) in table.header.enumerated() {
            guard [key, "group", "chip"].contains(name) else {
                throw CSVRefusal(
                    line: 1, column: index + 1, rule: "the columns are serialNumber and, if need be, group and chip")
            }
            columns[name] = index
        }
        guard let keyColumn = columns[key] else { throw CSVRefusal(line: 1, rule: "there is no column serialNumber") }
        var devices: [ExpectedDevice] = []
        var lines: [String: Int] = [:]
        for row in table.rows {
            let line = row.line - shift
            func field(_ name: String) -> String? {
                columns[name].flatMap { row.fields[$0].isEmpty ? nil : row.fields[$0] }
            }
            func refusal(_ column: String, _ rule: String) -> CSVRefusal {
                CSVRefusal(line: line, column: columns[column].map { $0 + 1 }, rule: rule)
            }
            let serialNumber = row.fields[keyColumn]
            if let rule = ExpectedDevice.rule(brokenBy: serialNumber) { throw refusal(key, "a serial number \(rule)") }
            if let other = lines.updateValue(line, forKey: serialNumber) {
                throw refusal(key, "line \(other) has the same serial number")
            }
            guard let group = field("group") ?? defaults.group else {
                throw refusal("group", "the line names no group, and the request none for all")
            }
            let chip = try field("chip").map { (text) throws(CSVRefusal) in
                guard let chip = ExpectedDevice.chip(text) else {
                    throw refusal("chip", "a chip is named by 64 hexadecimal digits")
                }
                return chip
            }
            guard chip != nil || defaults.trustsSerialNumbers else {
                throw refusal("chip", "the line names no chip, and serial numbers alone are not to be trusted")
            }
            devices.append(
                ExpectedDevice(
                    serialNumber: serialNumber, group: group, chip: chip,
                    awaitsConfiguration: defaults.awaitsConfiguration ?? false, author: author, created: now,
                    reachesSecrets: defaults.reachesSecrets))
        }
        return ExpectedDevicesImport(
            devices, lines: table.rows.map { $0.line - shift }, awaitsConfiguration: defaults.awaitsConfiguration,
            replaces: defaults.replaces)
    }

    private static func isList(_ data: Data) -> Bool {
        let line = bare(data).prefix { $0 != UInt8(ascii: "\n") }.filter { $0 != UInt8(ascii: "\r") }
        guard !line.contains(UInt8(ascii: ",")) else { return false }
        return ![key, "\"\(key)\""].contains(String(decoding: line, as: UTF8.self))
    }

    /// Without the mark that some programs put before UTF-8.
    private static func bare(_ data: Data) -> Data {
        data.starts(with: [0xEF, 0xBB, 0xBF]) ? data.dropFirst(3) : data
    }
}
