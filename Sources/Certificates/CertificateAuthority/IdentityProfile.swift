package import Foundation

/// What the certificate of an app's identity says, decided before anybody asks for it.
package struct IdentityProfile: Sendable, Equatable, Codable {
    /// Short, so that a lost device is out soon; the device renews long before.
    package static let validity: TimeInterval = 30 * 86_400

    /// One attribute of the subject: `C`, `CN`, `E`, `L`, `O`, `OU`, `SERIALNUMBER`, `ST` or a dotted number, and its text.
    package struct Attribute: Sendable, Equatable, Codable {
        package var type: String
        package var value: String

        package init(_ type: String, _ value: String) {
            self.type = type
            self.value = value
        }
    }

    /// The other names of the subject.
    package struct Names: Sendable, Equatable, Codable {
        package var email: String?
        package var dns: String?
        package var uri: String?
        /// A user principal name, as Windows has them.
        package var principal: String?

        package init(email: String? = nil, dns: String? = nil, uri: String? = nil, principal: String? = nil) {
            self.email = email
            self.dns = dns
            self.uri = uri
            self.principal = principal
        }
    }

    /// What the key must be; another one gets no certificate.
    package enum Key: Sendable, Equatable, Codable {
        case rsa(bits: Int)
        case ec(bits: Int)
    }

    /// One relative name after the other.
    package var subject: [Attribute]
    package var names: Names
    /// Names the order for good; stands among the alternative names (RFC 4043).
    package var permanentIdentifier: String?
    package var key: Key?
    package var signs: Bool
    package var enciphers: Bool
    /// Dotted numbers beside that of clients, which is always there.
    package var purposes: [String]
    package var validity: TimeInterval

    /// What this authority certifies identities for: TLS clients, and mail.
    ///
    /// Not servers, which could then be taken for others; not attestation keys, which chips must have proven.
    package static let purposes: Set = ["1.3.6.1.5.5.7.3.2", "1.3.6.1.5.5.7.3.4"]

    package init(
        subject: [Attribute], names: Names = Names(), permanentIdentifier: String? = nil, key: Key? = nil,
        signs: Bool = true, enciphers: Bool = true, purposes: [String] = [],
        validity: TimeInterval = IdentityProfile.validity
    ) {
        self.subject = subject
        self.names = names
        self.permanentIdentifier = permanentIdentifier
        self.key = key
        self.signs = signs
        self.enciphers = enciphers
        self.purposes = purposes
        self.validity = validity
    }
}
