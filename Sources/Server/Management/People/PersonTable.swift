import Foundation
import InputBounds

/// Reads people out of a table: `userName` and any of the names of `Person.Detail`.
///
/// A column that is not there and an empty field mention nothing.
enum PersonTable {
    /// Reads a table.
    ///
    /// - Parameters:
    ///   - table: The bytes of comma-separated values.
    ///   - removesEmpty: Whether an empty field takes a detail away.
    /// - Returns: What becomes of each person, in the order of the lines.
    /// - Throws: The first line that is refused, and why.
    static func people(in table: Data, removesEmpty: Bool) throws(CSVRefusal) -> [PersonAmendment] {
        let table = try CSVTable(parsing: table, limits: .adminTable)
        var columns: [Person.Detail?] = []
        for (index, name) in table.header.enumerated() {
            let detail = Person.Detail(rawValue: name)
            guard detail != nil || name == "userName" else {
                throw CSVRefusal(
                    line: 1, column: index + 1,
                    rule: "a column is userName or one of "
                        + Person.Detail.allCases.map(\.rawValue).joined(separator: ", "))
            }
            columns.append(detail)
        }
        guard let key = columns.firstIndex(of: nil) else {
            throw CSVRefusal(line: 1, rule: "there is no column userName")
        }
        var people: [PersonAmendment] = []
        var lines: [String: Int] = [:]
        for row in table.rows {
            let person = try person(in: row, columns, key: key, removesEmpty: removesEmpty)
            if let other = lines.updateValue(row.line, forKey: person.userName) {
                throw CSVRefusal(line: row.line, column: key + 1, rule: "line \(other) has the same user name")
            }
            people.append(person)
        }
        return people
    }

    private static func person(
        in row: CSVTable.Row, _ columns: [Person.Detail?], key: Int, removesEmpty: Bool
    ) throws(CSVRefusal) -> PersonAmendment {
        var details: [Person.Detail: String] = [:]
        for (column, text) in zip(columns, row.fields) where !text.isEmpty {
            if let column { details[column] = text }
        }
        let person = Person(userName: row.fields[key], details: details).composed
        if let (detail, rule) = person.brokenRule {
            throw CSVRefusal(line: row.line, column: (columns.firstIndex(of: detail) ?? key) + 1, rule: rule)
        }
        var amendments = person.details.mapValues { Amendment.becomes($0) }
        if removesEmpty {
            for case let column? in columns where amendments[column] == nil { amendments[column] = .goes }
        }
        return PersonAmendment(userName: person.userName, details: amendments)
    }
}

extension Person {
    /// The same person with a user name in one form of Unicode: tables come out of directories that write either.
    var composed: Person { Person(userName: Self.composed(userName), details: details) }

    /// The form in which the store keeps names of people; a look-up may use the other one.
    static func composed(_ userName: String) -> String { userName.precomposedStringWithCanonicalMapping }
}
