package import Foundation

/// Invites a person to enroll a device of their own. `PUT /people/{userName}/invitation`
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

/// A new invitation: its password is shown only once.
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
    /// Lets in the first device that claims the serial number; must be true where no chip is named.
    package var trustSerialNumber: Bool?
    /// Has the device wait in its setup until its apps and configurations are there.
    package var awaitConfiguration: Bool?

    package init(
        group: String, chip: String? = nil, trustSerialNumber: Bool? = nil, awaitConfiguration: Bool? = nil
    ) {
        self.group = group
        self.chip = chip
        self.trustSerialNumber = trustSerialNumber
        self.awaitConfiguration = awaitConfiguration
    }
}

/// A device that is expected. `GET /expected-devices`
package struct ExpectedDevice: Codable, Hashable, Sendable {
    package var serialNumber: String
    package var group: String
    package var chip: String?
    /// Whether the device will wait in its setup until its apps and configurations are there.
    package var awaitConfiguration: Bool?
    package var created: Date
    /// When a device was let in.
    package var used: Date?

    package init(
        serialNumber: String, group: String, chip: String? = nil, awaitConfiguration: Bool? = nil, created: Date,
        used: Date? = nil
    ) {
        self.serialNumber = serialNumber
        self.group = group
        self.chip = chip
        self.awaitConfiguration = awaitConfiguration
        self.created = created
        self.used = used
    }
}

/// What came of a table of expected devices. `POST /expected-devices/import`
package struct ExpectedDevicesAnswer: Codable, Hashable, Sendable {
    /// Expected from now on.
    package var added: Int
    /// Expected otherwise than before.
    package var changed: Int
    /// Expected as before.
    package var unchanged: Int
    /// Here already, and so not expected anew.
    package var came: Int

    package init(added: Int, changed: Int, unchanged: Int, came: Int) {
        self.added = added
        self.changed = changed
        self.unchanged = unchanged
        self.came = came
    }
}
