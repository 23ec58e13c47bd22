package import Foundation

/// Somebody whose devices are configured for them. `GET /people/{userName}`
package struct Person: Codable, Hashable, Sendable {
    /// Unique, and never changed.
    package var userName: String
    package var details: PersonDetails
    package var modified: Date
    /// The devices that are this person's, by ID; only where one person is shown.
    package var devices: [String]?

    package init(userName: String, details: PersonDetails = PersonDetails(), modified: Date, devices: [String]? = nil) {
        self.userName = userName
        self.details = details
        self.modified = modified
        self.devices = devices
    }
}

/// What is known of a person; each is a variable, such as `${person.email}`. `PUT /people/{userName}`
package struct PersonDetails: Codable, Hashable, Sendable {
    package var fullName: String?
    package var firstName: String?
    package var lastName: String?
    package var email: String?
    package var department: String?
    /// In a directory, such as `anna@corp.example.com`.
    package var principalName: String?
    /// The short name in a directory.
    package var accountName: String?
    package var distinguishedName: String?
    /// Such as `de_CH`.
    package var locale: String?

    package init(
        fullName: String? = nil, firstName: String? = nil, lastName: String? = nil, email: String? = nil,
        department: String? = nil, principalName: String? = nil, accountName: String? = nil,
        distinguishedName: String? = nil, locale: String? = nil
    ) {
        self.fullName = fullName
        self.firstName = firstName
        self.lastName = lastName
        self.email = email
        self.department = department
        self.principalName = principalName
        self.accountName = accountName
        self.distinguishedName = distinguishedName
        self.locale = locale
    }
}

/// What an import did, or would do. `POST /people/import`
package struct PeopleImportAnswer: Codable, Hashable, Sendable {
    package var added: Int
    package var changed: Int
    package var unchanged: Int
    /// Nothing was written.
    package var dryRun: Bool

    package init(added: Int, changed: Int, unchanged: Int, dryRun: Bool) {
        self.added = added
        self.changed = changed
        self.unchanged = unchanged
        self.dryRun = dryRun
    }
}

/// Whose a device is. `GET` and `PUT /devices/{device}/person`
package struct DevicePersonRequest: Codable, Hashable, Sendable {
    package var userName: String

    package init(userName: String) { self.userName = userName }
}

/// The bounds of a table, the same at the CLI and at the server.
package enum TableSize {
    /// Ten thousand rows of some two hundred bytes.
    package static let limit = 2_097_152

    /// The refusal of a larger one.
    package static let rule = "a table is at most 2,097,152 bytes"
}
