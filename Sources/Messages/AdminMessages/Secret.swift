package import Foundation

/// A secret as administrators see it: everything but its value. `GET /secrets/{name}`, and the answer of setting one
package struct Secret: Codable, Hashable, Sendable {
    package var name: String
    package var kind: SecretKind
    package var version: Int
    package var created: Date
    package var author: String?
    package var facts: SecretFacts
    /// Whether certificates are still to be revoked of devices that it was taken from.
    package var revoking: Bool?
    /// Whether the value for all, or that of a device or a person, was forgotten with its master key: it is to be set again.
    package var lacksValue: Bool?

    package init(
        name: String, kind: SecretKind, version: Int, created: Date, author: String? = nil,
        facts: SecretFacts = SecretFacts(), revoking: Bool? = nil, lacksValue: Bool? = nil
    ) {
        self.lacksValue = lacksValue
        self.name = name
        self.kind = kind
        self.version = version
        self.created = created
        self.author = author
        self.facts = facts
        self.revoking = revoking
    }
}

/// One version in a secret's history, newest first. `GET /secrets/{name}/versions`
package struct SecretVersion: Codable, Hashable, Sendable {
    package var version: Int
    package var created: Date
    package var author: String?
    package var facts: SecretFacts

    package init(version: Int, created: Date, author: String? = nil, facts: SecretFacts = SecretFacts()) {
        self.version = version
        self.created = created
        self.author = author
        self.facts = facts
    }
}

/// What may be shown of a secret's value: enough to tell versions apart and to see what runs out.
package struct SecretFacts: Codable, Hashable, Sendable {
    /// Whether a password has a user name beside it.
    package var hasUserName: Bool?
    /// The variables in it, which stand for something else on each device.
    package var variables: [String]?
    /// How many devices have a value of their own.
    package var deviceValues: Int?
    /// How many people have a value of their own.
    package var personValues: Int?
    /// SHA-256 of the certificate (DER), in lowercase hexadecimal digits.
    package var fingerprint: String?
    package var subject: String?
    package var expires: Date?
    /// Where a device asks for its certificate: an address, or `own` for this server's authority.
    package var authority: String?
    package var keyType: String?
    package var keySize: Int?
    package var hardwareBound: Bool?
    package var attest: Bool?
    /// What the administrator calls the value, to tell it from others without seeing it.
    package var marker: String?

    package init(
        hasUserName: Bool? = nil, variables: [String]? = nil, deviceValues: Int? = nil, personValues: Int? = nil,
        fingerprint: String? = nil, subject: String? = nil, expires: Date? = nil, authority: String? = nil,
        keyType: String? = nil, keySize: Int? = nil, hardwareBound: Bool? = nil, attest: Bool? = nil,
        marker: String? = nil
    ) {
        self.hasUserName = hasUserName
        self.variables = variables
        self.deviceValues = deviceValues
        self.personValues = personValues
        self.fingerprint = fingerprint
        self.subject = subject
        self.expires = expires
        self.authority = authority
        self.keyType = keyType
        self.keySize = keySize
        self.hardwareBound = hardwareBound
        self.attest = attest
        self.marker = marker
    }
}

/// A secret given to an app of a group, or to one of its extensions. `GET /secret-assignments`
package struct SecretAssignment: Codable, Hashable, Sendable {
    package var group: String
    package var app: String
    /// The extension's bundle identifier; the app itself without it.
    package var `extension`: String?
    /// What the app asks for.
    package var kind: AppSecretKind
    /// Under which name the app asks for it, as its developer chose.
    package var identifier: String
    package var secret: String

    package init(
        group: String, app: String, extension: String? = nil, kind: AppSecretKind, identifier: String, secret: String
    ) {
        self.group = group
        self.app = app
        self.extension = `extension`
        self.kind = kind
        self.identifier = identifier
        self.secret = secret
    }
}

/// Says which secret an app gets. `PUT /secret-assignments/{group}/{app}/{kind}/{identifier}`
package struct SecretAssignmentRequest: Codable, Hashable, Sendable {
    package var secret: String

    package init(secret: String) { self.secret = secret }
}

/// What a secret is made of.
package struct SecretKind: Word {
    package static let password = SecretKind(rawValue: "password")
    package static let certificate = SecretKind(rawValue: "certificate")
    package static let pkcs12 = SecretKind(rawValue: "pkcs12")
    package static let scep = SecretKind(rawValue: "scep")
    package static let acme = SecretKind(rawValue: "acme")

    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }
}

/// What an app asks for: an identity is one to it, wherever its key was made.
package struct AppSecretKind: Word {
    package static let password = AppSecretKind(rawValue: "password")
    package static let certificate = AppSecretKind(rawValue: "certificate")
    package static let identity = AppSecretKind(rawValue: "identity")

    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }

    /// As what an app gets a secret; nothing for a kind added later.
    package init?(of kind: SecretKind) {
        switch kind {
        case .password: self = .password
        case .certificate: self = .certificate
        case .pkcs12, .scep, .acme: self = .identity
        default: return nil
        }
    }
}
