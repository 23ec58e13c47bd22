package import Foundation

/// Something confidential that apps are given by name: a password, a certificate, or what makes an identity.
///
/// Its value goes in and comes out only to devices to which it is assigned; this is what may be shown of it.
package struct Secret: Sendable, Equatable {
    /// What a secret is; it stays the same for all versions.
    package enum Kind: String, Sendable, Codable, CaseIterable {
        case password
        case certificate
        /// An identity in a file, with the password that opens it.
        case pkcs12
        /// An identity that the device asks for by SCEP.
        case scep
        /// An identity that the device asks for by ACME.
        case acme
    }

    package let name: String
    package let kind: Kind
    package let current: SecretVersion
    /// Whether certificates are still to be revoked of devices that it was taken from.
    package let isRevoking: Bool
    /// Whether the value for all, or that of a device or a person, was forgotten with its master key.
    package let lacksValue: Bool

    package init(
        name: String, kind: Kind, current: SecretVersion, isRevoking: Bool = false, lacksValue: Bool = false
    ) {
        self.lacksValue = lacksValue
        self.name = name
        self.kind = kind
        self.current = current
        self.isRevoking = isRevoking
    }
}

/// One version of a secret, without its value.
package struct SecretVersion: Sendable, Equatable {
    package let number: Int
    package let author: String
    package let created: Date
    package let description: SecretDescription

    package init(number: Int, author: String, created: Date, description: SecretDescription) {
        self.number = number
        self.author = author
        self.created = created
        self.description = description
    }
}

/// What may be shown of a value: enough to tell versions apart and to see what runs out.
package struct SecretDescription: Sendable, Equatable, Codable {
    /// Whether a user name comes with the password.
    package var hasUserName: Bool?
    /// The variables in it that stand for something else on each device.
    package var variables: [String]?
    /// How many devices have a value of their own.
    package var deviceValues: Int?
    /// How many people have a value of their own.
    package var personValues: Int?
    /// SHA-256 of the certificate, in lowercase hexadecimal.
    package var fingerprint: String?
    package var subject: String?
    package var notAfter: Date?
    /// Where the device asks for its certificate.
    package var authority: String?
    package var keyType: String?
    package var keySize: Int?
    package var hardwareBound: Bool?
    package var attest: Bool?
    /// The size of what the device downloads; only of values that are no use to a guesser.
    package var size: Int?
    /// What the administrator calls the value, to tell it from others without seeing it.
    package var marker: String?

    package init() {}
}

/// The bounds of secrets.
package enum SecretLimits {
    /// Devices whose certificates are revoked before an administrator is answered who took a secret from more.
    package static let revokedAtOnce = 100
    /// Devices whose certificates are revoked in one transaction behind that: others wait that long.
    package static let revokedPart = 500
    /// A PKCS #12 file with a long chain has some kilobytes.
    package static let fileBytes = 65_536
    package static let passwordBytes = 4_096
    /// Descriptions kept of each secret; of values only the present one is kept.
    package static let versions = 100
    /// Devices with a value of their own, and people with one: as many as one server is made for.
    package static let ownValues = 100_000
    /// Secrets that one group's devices are given for one app: each is an asset a device fetches.
    package static let perAssignment = 256
}
