import AppSpecification
package import Foundation
import InputBounds

/// Somebody whose devices are configured for them: what variables such as `${person.email}` stand for.
package struct Person: Sendable, Equatable {
    /// What is known of a person beside the user name; the texts are the names of variables and of columns.
    package enum Detail: String, Sendable, Codable, CaseIterable {
        case fullName
        case firstName
        case lastName
        case email
        case department
        /// In a directory, such as `anna@corp.example.com`.
        case principalName
        /// The short name in a directory.
        case accountName
        case distinguishedName
        /// Such as `de_CH`.
        case locale
    }

    /// Unique, and never changed.
    package let userName: String
    package let details: [Detail: String]

    package init(userName: String, details: [Detail: String] = [:]) {
        self.userName = userName
        self.details = details
    }

    /// The person's variables, by name.
    package var variables: [String: String] {
        var variables = ["person.userName": userName]
        for (detail, text) in details { variables["person.\(detail.rawValue)"] = text }
        if let email = details[.email], let at = email.lastIndex(of: "@") {
            variables["person.emailLocalPart"] = String(email[..<at])
            variables["person.emailDomain"] = String(email[email.index(after: at)...])
        }
        return variables
    }

    /// The names of all variables of people.
    package static let variableNames =
        ["person.userName", "person.emailLocalPart", "person.emailDomain"]
        + Detail.allCases.map { "person.\($0.rawValue)" }
}

/// The bounds of what is kept of people.
package enum PersonLimits {
    /// A text is filled in many times over; RFC 5321 has addresses of at most 254 bytes.
    package static let textBytes = 256
    package static let distinguishedNameBytes = 1_024
    /// Devices one person has: each of them is asked after when the person changes.
    package static let devices = 100
    /// People of a table that are written at once: a fifth of a second's work at most, which others may wait for.
    package static let part = 500
}

extension Person {
    /// The first rule the person breaks, and the detail that breaks it; nothing for the user name.
    package var brokenRule: (detail: Detail?, rule: String)? {
        if let rule = NameRule(.composed, upTo: PersonLimits.textBytes).brokenRule(by: userName)
            ?? ReservedNames.rule(brokenBy: userName, ReservedNames.ofPeople)
        {
            return (nil, "a user name \(rule)")
        }
        for detail in Detail.allCases {
            guard let text = details[detail] else { continue }
            let limit = detail == .distinguishedName ? PersonLimits.distinguishedNameBytes : PersonLimits.textBytes
            if let rule = Self.rule(text, limit: limit) { return (detail, "a person's \(detail.rawValue) \(rule)") }
        }
        if let email = details[.email] {
            let parts = email.split(separator: "@", omittingEmptySubsequences: false)
            guard parts.count == 2, parts.allSatisfy({ !$0.isEmpty && !$0.contains(where: \.isWhitespace) }) else {
                return (.email, "a person's email has one @ with text on both sides and no spaces")
            }
        }
        return nil
    }

    private static func rule(_ text: String, limit: Int) -> String? {
        guard (1...limit).contains(text.utf8.count) else { return "is 1 to \(limit) bytes" }
        guard VariableText.isSuitable(text) else { return "has no control characters" }
        guard text.first?.isWhitespace == false, text.last?.isWhitespace == false else {
            return "neither begins nor ends with a space"
        }
        return nil
    }
}

/// A person as the store has them, with their devices.
package struct KeptPerson: Sendable, Equatable {
    package let person: Person
    package let modified: Date
    /// The first of them, by ID.
    package let devices: [String]

    package init(person: Person, modified: Date, devices: [String] = []) {
        self.person = person
        self.modified = modified
        self.devices = devices
    }
}
