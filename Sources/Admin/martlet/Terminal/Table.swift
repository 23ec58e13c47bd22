/// Rows of text in columns as wide as their widest cell.
///
/// The last column is not padded, so lines carry no blanks at their end.
package struct Table: Sendable {
    private let titles: [String]
    private var rows: [[String]] = []

    package init(_ titles: String...) {
        self.titles = titles
    }

    /// Adds a row; a missing value shows as a hyphen.
    package mutating func add(_ cells: String?...) {
        precondition(cells.count == titles.count, "a row has as many cells as the table has columns")
        rows.append(cells.map { cell in cell.map { $0.isEmpty ? "-" : Printable.line($0) } ?? "-" })
    }

    package var isEmpty: Bool { rows.isEmpty }

    /// The lines, the titles in bold where the terminal can.
    ///
    /// Where the lines are wider than the terminal, each row becomes a few lines of its own: broken lines cannot be read.
    package func text(bold: Bool = false, within columns: Int? = nil) -> String {
        let widths = titles.indices.map { column in
            ([titles] + rows).map { Printable.width($0[column]) }.max() ?? 0
        }
        if let columns, widths.reduce(2 * (widths.count - 1), +) > columns { return records }
        let heading = Self.line(titles, widths)
        let lines = [bold ? "\u{1B}[1m\(heading)\u{1B}[0m" : heading] + rows.map { Self.line($0, widths) }
        return lines.joined(separator: "\n")
    }

    private var records: String {
        rows.map { row in
            var facts = Facts()
            for (title, cell) in zip(titles, row) { facts.add(title, cell) }
            return facts.text
        }.joined(separator: "\n\n")
    }

    private static func line(_ cells: [String], _ widths: [Int]) -> String {
        zip(cells, widths).enumerated().map { column, cell in
            column == cells.count - 1
                ? cell.0 : cell.0 + String(repeating: " ", count: cell.1 - Printable.width(cell.0))
        }.joined(separator: "  ")
    }
}

/// Names and values below each other, the values in one column.
package struct Facts: Sendable {
    private var lines: [(name: String, value: String)] = []

    package init() {}

    /// Adds a fact; nothing where there is no value.
    package mutating func add(_ name: String, _ value: String?) {
        guard let value, !value.isEmpty else { return }
        lines.append((Printable.line(name), Printable.line(value)))
    }

    package var text: String {
        let width = lines.map { Printable.width($0.name) }.max() ?? 0
        return lines.map { line in
            line.name + String(repeating: " ", count: width - Printable.width(line.name) + 2) + line.value
        }.joined(separator: "\n")
    }
}
