import Foundation
import InputBounds

/// Reads people out of a table: `userName` and any of the names of `Person.Detail`; an empty field is no value.
enum PersonTable {
    static func people(in table: Data) throws(CSVRefusal) -> [Person] {
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
        var people: [Person] = []
        var lines: [String: Int] = [:]
        for row in table.rows {
            let person = try person(in: row, columns, key: key)
            if let other = lines.updateValue(row.line, forKey: person.userName) {
                throw CSVRefusal(line: row.line, column: key + 1, rule: "line \(other) has the same user name")
            }
            people.append(person)
        }
        return people
    }

    private static func person(
        in row: CSVTable.Row, _ columns: [Person.Detail?], key: Int
    ) throws(CSVRefusal) -> Person {
        var details: [Person.Detail: String] = [:]
        for (column, text) in zip(columns, row.fields) where !text.isEmpty {
            if let column { details[column] = text }
        }
        let person = Person(userName: row.fields[key], details: details).composed
        if let (detail, rule) = person.brokenRule {
            throw CSVRefusal(line: row.line, column: (columns.firstIndex(of: detail) ?? key) + 1, rule: rule)
        }
        return person
    }
}

extension Person {
    /// The same person with a user name in one form of Unicode: tables come out of directories that write either.
    var composed: Person { Person(userName: Self.composed(userName), details: details) }

    /// The form in which people are kept; whoever is looked up may be written in the other one.
    static func composed(_ userName: String) -> String { userName.precomposedStringWithCanonicalMapping }
}
