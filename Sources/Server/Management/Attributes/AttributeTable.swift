package import Foundation
package import InputBounds

/// One line of a table of attributes.
package struct AttributeRow: Sendable, Equatable {
    /// Where it stands, counted from 1.
    package let line: Int
    /// The device: its ID or serial number, alone or behind the prefix of a `DeviceReference`.
    package let device: String
    /// Those that it mentions.
    package let attributes: [String: Amendment<String>]

    package init(line: Int, device: String, attributes: [String: Amendment<String>]) {
        self.line = line
        self.device = device
        self.attributes = attributes
    }
}

/// Reads attributes out of a table: a column `device`, and one for each attribute, with its key as heading.
///
/// A column that is not there and an empty field mention nothing.
package enum AttributeTable {
    private static let limits = CSVLimits(
        bytes: CSVLimits.adminTable.bytes, rows: AttributeLimits.tableDevices, columns: AttributeLimits.keys + 1)

    /// Reads a table.
    ///
    /// - Parameters:
    ///   - table: The bytes of comma-separated values.
    ///   - removesEmpty: Whether an empty field takes an attribute away.
    /// - Returns: The lines, from the first to the last.
    /// - Throws: The first line that is refused, and why.
    package static func rows(in table: Data, removesEmpty: Bool) throws(CSVRefusal) -> [AttributeRow] {
        let table = try CSVTable(parsing: table, limits: limits)
        guard let device = table.header.firstIndex(of: AttributeSet.deviceColumn) else {
            throw CSVRefusal(line: 1, rule: "there is no column “\(AttributeSet.deviceColumn)”")
        }
        for (index, key) in table.header.enumerated() where index != device && !AttributeSet.isKey(key) {
            throw CSVRefusal(line: 1, column: index + 1, rule: AttributeSet.keyRule)
        }
        var rows: [AttributeRow] = []
        for row in table.rows {
            guard !row.fields[device].isEmpty else {
                throw CSVRefusal(line: row.line, column: device + 1, rule: "the line names no device")
            }
            var attributes: [String: Amendment<String>] = [:]
            for (index, text) in row.fields.enumerated() where index != device {
                if !text.isEmpty {
                    attributes[table.header[index]] = .becomes(text)
                } else if removesEmpty {
                    attributes[table.header[index]] = .goes
                }
            }
            rows.append(AttributeRow(line: row.line, device: row.fields[device], attributes: attributes))
        }
        return rows
    }
}
