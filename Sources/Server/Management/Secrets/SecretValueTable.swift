import Foundation
import InputBounds

/// Reads values for single devices, or people, out of a table.
///
/// Its columns are `serialNumber` or `person`, `password`, and `userName` if there is one: the name that goes with the
/// password.
struct SecretValueTable: Sendable {
    let owners: SecretOwner.Kind
    /// By serial number, or by the user name of the person.
    let values: [String: SecretValue]
    /// The variables in the user names.
    let variables: [String]
    private let lines: [String: Int]
    private let ownerColumn: Int

    init(parsing data: Data) throws(CSVRefusal) {
        let table = try CSVTable(parsing: data, limits: .adminTable)
        var columns: [String: Int] = [:]
        for (index, name) in table.header.enumerated() {
            guard ["serialNumber", "person", "password", "userName"].contains(name) else {
                throw CSVRefusal(
                    line: 1, column: index + 1,
                    rule: "the columns are serialNumber or person, password and, if need be, userName")
            }
            columns[name] = index
        }
        let (owners, ownerColumn) = try Self.owners(columns)
        guard let passwordColumn = columns["password"] else { throw Self.columnsMissing }
        var values: [String: SecretValue] = [:]
        var lines: [String: Int] = [:]
        var variables: Set<String> = []
        for row in table.rows {
            let name = try Self.name(row.fields[ownerColumn], of: owners, line: row.line, column: ownerColumn + 1)
            let userName = columns["userName"].flatMap { row.fields[$0].isEmpty ? nil : row.fields[$0] }
            let value = SecretValue.password(userName: userName, password: row.fields[passwordColumn])
            do {
                variables.formUnion(try SecretCheck(value).description.variables ?? [])
            } catch {
                // Only the user name and the password can be wrong, and an empty user name is none.
                let isPassword = row.fields[passwordColumn].isEmpty || userName == nil
                throw CSVRefusal(
                    line: row.line, column: (isPassword ? passwordColumn : columns["userName"] ?? 0) + 1,
                    rule: Self.rule(error))
            }
            guard values.updateValue(value, forKey: name) == nil else {
                throw CSVRefusal(
                    line: row.line, column: ownerColumn + 1,
                    rule: "an earlier line has the same \(owners == .device ? "serial number" : "person")")
            }
            lines[name] = row.line
        }
        self.owners = owners
        self.values = values
        self.variables = variables.sorted()
        self.lines = lines
        self.ownerColumn = ownerColumn
    }

    /// Why the table is refused that names a person who is not known.
    func refusal(ofUnknown userName: String) -> CSVRefusal {
        CSVRefusal(line: lines[userName] ?? 1, column: ownerColumn + 1, rule: "there is no such person")
    }

    private static let columnsMissing = CSVRefusal(
        line: 1, rule: "the columns serialNumber and password are needed, or person and password")

    private static func owners(_ columns: [String: Int]) throws(CSVRefusal) -> (SecretOwner.Kind, column: Int) {
        switch (columns["serialNumber"], columns["person"]) {
        case (let device?, nil): return (.device, device)
        case (nil, let person?): return (.person, person)
        case (nil, nil): throw columnsMissing
        case (_?, let person?):
            throw CSVRefusal(
                line: 1, column: person + 1, rule: "a table has a column serialNumber or person, not both")
        }
    }

    private static func name(
        _ field: String, of owners: SecretOwner.Kind, line: Int, column: Int
    ) throws(CSVRefusal) -> String {
        switch owners {
        case .device:
            if let rule = NameRule.serialNumber.brokenRule(by: field) {
                throw CSVRefusal(line: line, column: column, rule: "a serial number \(rule)")
            }
            return field
        case .person:
            let userName = Person.composed(field)
            if let (_, rule) = Person(userName: userName).brokenRule {
                throw CSVRefusal(line: line, column: column, rule: rule)
            }
            return userName
        }
    }

    private static func rule(_ refusal: AdminRefusal) -> String {
        let reason = refusal.reason
        return reason.prefix(1).lowercased()
            + (reason.hasSuffix(".") ? reason.dropFirst().dropLast() : reason.dropFirst())
    }
}
