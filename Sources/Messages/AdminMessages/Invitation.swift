package import Foundation

/// Invites a person to enrol a device of their own. `PUT /people/{userName}/invitation`
package struct InvitationRequest: Codable, Hashable, Sendable {
    /// The group that the device joins.
    package var group: String
    /// By which the person signs in; without it the principal name, the email or the user name.
    package var account: String?
    /// A week without it.
    package var validSeconds: Int?

    package init(group: String, account: String? = nil, validSeconds: Int? = nil) {
        self.group = group
        self.account = account
        self.validSeconds = validSeconds
    }
}

/// A new invitation: its password is shown this once.
package struct InvitationAnswer: Codable, Hashable, Sendable {
    package var person: String
    package var account: String
    package var password: String
    package var group: String
    package var expires: Date

    package init(person: String, account: String, password: String, group: String, expires: Date) {
        self.person = person
        self.account = account
        self.password = password
        self.group = group
        self.expires = expires
    }
}

/// An invitation without its password. `GET /invitations`
package struct InvitationSummary: Codable, Hashable, Sendable {
    package var person: String
    package var account: String
    package var group: String
    package var created: Date
    package var expires: Date

    package init(person: String, account: String, group: String, created: Date, expires: Date) {
        self.person = person
        self.account = account
        self.group = group
        self.created = created
        self.expires = expires
    }
}

/// Expects a device. `PUT /expected-devices/{serialNumber}`
package struct ExpectedDeviceRequest: Codable, Hashable, Sendable {
    /// The group that the device joins.
    package var group: String
    /// SHA-256 of the endorsement key of the device's chip (its SubjectPublicKeyInfo), in hexadecimal digits.
    package var chip: String?
    /// Lets in whoever says the serial number first: without a chip this must be said.
    package var trustSerialNumber: Bool?

    package init(group: String, chip: String? = nil, trustSerialNumber: Bool? = nil) {
        self.group = group
        self.chip = chip
        self.trustSerialNumber = trustSerialNumber
    }
}

/// A device that is expected. `GET /expected-devices`
package struct ExpectedDevice: Codable, Hashable, Sendable {
    package var serialNumber: String
    package var group: String
    package var chip: String?
    package var created: Date
    /// When a device was let in.
    package var used: Date?

    package init(serialNumber: String, group: String, chip: String? = nil, created: Date, used: Date? = nil) {
        self.serialNumber = serialNumber
        self.group = group
        self.chip = chip
        self.created = created
        self.used = used
    }
}
