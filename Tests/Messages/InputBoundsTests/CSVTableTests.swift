import Foundation
import InputBounds
import TestInputs
import Testing

/// Tables of comma-separated values: RFC 4180 to the letter, and every refusal with its place.
struct CSVTableTests {
    private static let limits = CSVLimits(bytes: 10_000, rows: 5, columns: 4, fieldBytes: 20)

    private func table(_ text: String) throws -> CSVTable {
        try CSVTable(parsing: Data(text.utf8), limits: Self.limits)
    }

    @Test(arguments: ["a,b\r\n1,2\r\n3,\r\n", "a,b\n1,2\n3,", "\u{FEFF}a,b\n1,2\n\"3\",\"\"\n"])
    func linesEndAsTheyLikeAndTheLastNeedNot(text: String) throws {
        let table = try table(text)
        #expect(table.header == ["a", "b"])
        #expect(table.rows.map(\.fields) == [["1", "2"], ["3", ""]])
        #expect(table.rows.map(\.line) == [2, 3])
    }

    @Test func insideQuotationMarksEverythingIsText() throws {
        let table = try table("a,b\n\"x,\"\"y\"\"\",\"one\r\ntwo\"\n é ,z\n")
        #expect(table.rows.map(\.fields) == [["x,\"y\"", "one\r\ntwo"], [" é ", "z"]])
        // The line counts where the row begins, the break inside a field included.
        #expect(table.rows.map(\.line) == [2, 4])
    }

    @Test(
        arguments: [
            ("", 1, nil, "no header"), ("a,\n", 1, 2, "no name"), ("a,a\n", 1, 2, "same name"),
            ("a,b\n1\n", 2, nil, "1 fields and the header 2"), ("a,b\n1,2,3\n", 2, nil, "3 fields"),
            ("a,b\n1,2\n\n", 3, nil, "the line is empty"), ("a,b\n1,x\"y\n", 2, 2, "inside a field"),
            ("a,b\n\"1\"x,2\n", 2, 1, "after the closing"), ("a,b\n1,\"2\n3\n", 2, 2, "never closed"),
            ("a\tb\n", 1, 1, "separated by commas"), ("a,b\r1,2\r", 1, 2, "LF or with CR and LF"),
            ("a,b\n1,\u{0}\n", 2, 2, "control characters"), ("a,b\n1,\"\r\"\n", 2, 2, "control characters"),
            ("a,b,c,d,e\n", 1, nil, "more than 4 fields"),
            ("a,b\n1,\(String(repeating: "x", count: 21))\n", 2, 2, "at most 20"),
            ("a\n1\n2\n3\n4\n5\n6\n", 7, nil, "more than 5 rows"),
        ] as [(String, Int, Int?, String)])
    func aRefusalNamesItsPlaceAndItsRule(text: String, line: Int, column: Int?, rule: String) throws {
        do {
            _ = try table(text)
            Issue.record("taken: \(text.debugDescription)")
        } catch let refusal as CSVRefusal {
            #expect(refusal.line == line && refusal.column == column, "\(refusal)")
            #expect(refusal.rule.contains(rule), "\(refusal)")
        }
    }

    @Test func whatIsNotUTF8IsRefusedWithItsPlace() {
        #expect(throws: CSVRefusal(line: 2, column: 2, rule: "the field is not UTF-8")) {
            try CSVTable(parsing: Data("a,b\n1,".utf8) + [0xFF, 0x0A], limits: Self.limits)
        }
    }

    @Test func aTableOfMoreBytesIsNotEvenRead() {
        let limits = CSVLimits(bytes: 3, rows: 1)
        #expect(throws: CSVRefusal.self) { try CSVTable(parsing: Data("a,b\n".utf8), limits: limits) }
    }

    // MARK: Whatever comes

    /// What is written by the letter of the RFC is read as it was meant.
    @Test func whatIsWrittenIsRead() throws {
        var random = SplitMix64(seed: Mutation.seed &+ 71)
        let letters = ["a", "\"", ",", "\r\n", "\n", " ", "é", "${", "\u{1F3DE}", ""]
        for _ in 0..<Mutation.iterations / 4 {
            let columns = Int.random(in: 1...4, using: &random)
            let rows = (0..<Int.random(in: 0...5, using: &random)).map { _ in
                (0..<columns).map { _ in
                    (0..<Int.random(in: 0...5, using: &random)).map { _ in letters.randomElement(using: &random) ?? "" }
                        .joined()
                }
            }
            let header = (0..<columns).map { "column\($0)" }
            let text = ([header] + rows).map { row in row.map(Self.written).joined(separator: ",") + "\r\n" }.joined()
            let table = try table(text)
            try #require(table.rows.map(\.fields) == rows, "\(text.debugDescription)")
        }
    }

    /// Damaged tables are refused, or read as rows as long as the header, within all bounds.
    @Test func aDamagedTableIsRefusedOrWhole() throws {
        var random = SplitMix64(seed: Mutation.seed &+ 72)
        let tables = ["a,b\r\n1,2\r\n", "userName,email\nanna,\"a\"\"@b\"\n", "\u{FEFF}a\n\"x\ny\"\n"].map {
            Data($0.utf8)
        }
        let tokens = [
            "\"", "\"\"", ",", "\r", "\n", "\r\n", "\u{0}", "\u{FEFF}", "é", String(repeating: "x", count: 30),
        ]
        var read = 0
        for _ in 0..<Mutation.iterations {
            let data = Mutation.mutate(
                tables.randomElement(using: &random) ?? Data(), with: tables, tokens: tokens, using: &random)
            guard let table = try? CSVTable(parsing: data, limits: Self.limits) else { continue }
            read += 1
            #expect(table.rows.allSatisfy { $0.fields.count == table.header.count })
            #expect(table.rows.count <= Self.limits.rows && table.header.count <= Self.limits.columns)
            #expect(table.rows.joined.allSatisfy { $0.utf8.count <= Self.limits.fieldBytes })
        }
        #expect(read > Mutation.iterations / 100, "too few mutations survive to prove anything")
    }

    private static func written(_ field: String) -> String {
        "\"" + field.replacingOccurrences(of: "\"", with: "\"\"") + "\""
    }
}

extension [CSVTable.Row] {
    fileprivate var joined: [String] { flatMap(\.fields) }
}
