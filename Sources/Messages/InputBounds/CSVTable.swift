package import Foundation

/// How much of a table is looked at before it is refused.
package struct CSVLimits: Hashable, Sendable {
    package let bytes: Int
    package let rows: Int
    package let columns: Int
    /// Of one field, without the quotation marks around it.
    package let fieldBytes: Int

    package init(bytes: Int, rows: Int, columns: Int = 32, fieldBytes: Int = 4_096) {
        precondition(bytes > 0 && rows > 0 && columns > 0 && fieldBytes > 0, "limits that allow nothing")
        self.bytes = bytes
        self.rows = rows
        self.columns = columns
        self.fieldBytes = fieldBytes
    }

    /// What an administrator imports at once: ten thousand rows of some two hundred bytes.
    package static let adminTable = CSVLimits(bytes: 2_097_152, rows: 10_000)
}

/// States the rule that a table broke and the place, but never a value, except the name of a thing on the server.
package struct CSVRefusal: Error, Hashable, Sendable {
    /// Counted from one, the header being the first.
    package let line: Int
    /// Which field of the line, counted from one; nothing when it is the line as a whole.
    package let column: Int?
    package let rule: String

    package init(line: Int, column: Int? = nil, rule: String) {
        self.line = line
        self.column = column
        self.rule = rule
    }
}

extension CSVRefusal: CustomStringConvertible {
    package var description: String { "line \(line)\(column.map { ", column \($0)" } ?? ""): \(rule)" }
}

/// A table of comma-separated values as RFC 4180 writes it, read strictly: a header, and rows as long as the header.
///
/// UTF-8 with or without its mark; lines end with LF or CR LF. Nothing is trimmed, guessed or repaired.
package struct CSVTable: Sendable, Equatable {
    /// One row below the header.
    package struct Row: Sendable, Equatable {
        /// Where the row begins; fields in quotation marks may hold line breaks.
        package let line: Int
        package let fields: [String]
    }

    package let header: [String]
    package let rows: [Row]

    package init(parsing data: Data, limits: CSVLimits) throws(CSVRefusal) {
        guard data.count <= limits.bytes else {
            throw CSVRefusal(line: 1, rule: "the table is larger than \(limits.bytes) bytes")
        }
        var reader = CSVReader(data, limits: limits)
        guard let header = try reader.row() else { throw CSVRefusal(line: 1, rule: "there is no header") }
        var names: Set<String> = []
        for (index, name) in header.fields.enumerated() {
            guard !name.isEmpty else { throw CSVRefusal(line: 1, column: index + 1, rule: "the column has no name") }
            guard names.insert(name).inserted else {
                throw CSVRefusal(line: 1, column: index + 1, rule: "an earlier column has the same name")
            }
        }
        var rows: [Row] = []
        while let row = try reader.row() {
            guard row.fields.count == header.fields.count else {
                throw CSVRefusal(
                    line: row.line,
                    rule: row.fields == [""]
                        ? "the line is empty"
                        : "the line has \(row.fields.count) fields and the header \(header.fields.count)")
            }
            guard rows.count < limits.rows else {
                throw CSVRefusal(line: row.line, rule: "the table has more than \(limits.rows) rows")
            }
            rows.append(row)
        }
        self.header = header.fields
        self.rows = rows
    }
}

/// Cuts bytes into rows and fields; the work is linear, and a field is never longer than allowed.
private struct CSVReader {
    private static let quote = UInt8(ascii: "\"")
    private static let comma = UInt8(ascii: ",")
    private static let lineFeed = UInt8(ascii: "\n")
    private static let carriageReturn = UInt8(ascii: "\r")

    private let bytes: [UInt8]
    private let limits: CSVLimits
    private var place = 0
    private var line = 1

    init(_ data: Data, limits: CSVLimits) {
        bytes = [UInt8](data)
        self.limits = limits
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { place = 3 }
    }

    /// The next row, or nothing at the end.
    mutating func row() throws(CSVRefusal) -> CSVTable.Row? {
        guard place < bytes.count else { return nil }
        let first = line
        var fields: [String] = []
        while true {
            guard fields.count < limits.columns else {
                throw CSVRefusal(line: line, rule: "a line has more than \(limits.columns) fields")
            }
            fields.append(try field(fields.count + 1))
            if place == bytes.count { break }
            if bytes[place] == Self.comma {
                place += 1
                continue
            }
            try lineEnd(column: fields.count)
            break
        }
        return CSVTable.Row(line: first, fields: fields)
    }

    private mutating func field(_ column: Int) throws(CSVRefusal) -> String {
        var text: [UInt8] = []
        let isQuoted = place < bytes.count && bytes[place] == Self.quote
        let first = line
        if isQuoted { place += 1 }
        while place < bytes.count {
            let byte = bytes[place]
            if isQuoted {
                if byte == Self.quote {
                    guard place + 1 < bytes.count, bytes[place + 1] == Self.quote else { break }
                    place += 1
                }
            } else if byte == Self.comma || byte == Self.lineFeed || byte == Self.carriageReturn {
                break
            } else if byte == Self.quote {
                throw CSVRefusal(
                    line: line, column: column,
                    rule: "a quotation mark stands inside a field: put the field in quotation marks and double it")
            }
            try check(byte, isQuoted: isQuoted, column)
            guard text.count < limits.fieldBytes else {
                throw CSVRefusal(line: first, column: column, rule: "a field is at most \(limits.fieldBytes) bytes")
            }
            text.append(byte)
            place += 1
            if byte == Self.lineFeed { line += 1 }
        }
        if isQuoted { try closeQuotes(column, opened: first) }
        guard let text = String(validating: text, as: UTF8.self) else {
            throw CSVRefusal(line: first, column: column, rule: "the field is not UTF-8")
        }
        return text
    }

    /// The closing mark, after which only the end of the field may come.
    private mutating func closeQuotes(_ column: Int, opened: Int) throws(CSVRefusal) {
        guard place < bytes.count else {
            throw CSVRefusal(line: opened, column: column, rule: "the quotation mark is never closed")
        }
        place += 1
        guard place == bytes.count || [Self.comma, Self.lineFeed, Self.carriageReturn].contains(bytes[place]) else {
            throw CSVRefusal(
                line: line, column: column, rule: "after the closing quotation mark comes a comma or the line's end")
        }
    }

    private func check(_ byte: UInt8, isQuoted: Bool, _ column: Int) throws(CSVRefusal) {
        guard byte < 0x20 || byte == 0x7F else { return }
        if isQuoted, byte == Self.lineFeed { return }
        if isQuoted, byte == Self.carriageReturn, place + 1 < bytes.count, bytes[place + 1] == Self.lineFeed { return }
        throw CSVRefusal(
            line: line, column: column, rule: "a field has no control characters; fields are separated by commas")
    }

    private mutating func lineEnd(column: Int) throws(CSVRefusal) {
        if bytes[place] == Self.carriageReturn {
            place += 1
            guard place < bytes.count, bytes[place] == Self.lineFeed else {
                throw CSVRefusal(line: line, column: column, rule: "lines end with LF or with CR and LF")
            }
        }
        place += 1
        line += 1
    }
}
