package import Foundation

/// The value of a secret.
///
/// It has no text form: what prints it prints its kind.
package enum SecretValue: Sendable, Equatable {
    /// The user name may hold variables of the device.
    case password(userName: String?, password: String)
    case certificate(der: Data)
    case pkcs12(bytes: Data, password: String)
    case scep(SCEPRecipe)
    case acme(ACMERecipe)

    package var kind: Secret.Kind {
        switch self {
        case .password: .password
        case .certificate: .certificate
        case .pkcs12: .pkcs12
        case .scep: .scep
        case .acme: .acme
        }
    }
}

extension SecretValue {
    /// The texts of a value in which variables are filled in.
    var templates: [String] {
        switch self {
        case .password(let userName, _): [userName].compactMap { $0 }
        case .certificate, .pkcs12: []
        case .scep(let recipe): recipe.subject.map(\.value) + (recipe.subjectAltNames?.templates ?? [])
        case .acme(let recipe):
            [recipe.clientIdentifier] + recipe.subject.map(\.value) + (recipe.subjectAltNames?.templates ?? [])
        }
    }
}

extension SubjectAltNames {
    fileprivate var templates: [String] {
        [rfc822Name, dNSName, uniformResourceIdentifier, ntPrincipalName].compactMap { $0 }
    }
}

extension SecretValue: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "a secret of kind \(kind.rawValue)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

extension SecretValue: Codable {}

/// One attribute of a certificate's subject: a short name or a dotted number, and its text.
package struct SubjectAttribute: Sendable, Equatable, Codable {
    package let type: String
    /// May hold variables of the device.
    package let value: String

    package init(type: String, value: String) {
        self.type = type
        self.value = value
    }
}

/// The other names of a certificate's subject; each may hold variables of the device.
package struct SubjectAltNames: Sendable, Equatable, Codable {
    package var rfc822Name: String?
    package var dNSName: String?
    package var uniformResourceIdentifier: String?
    package var ntPrincipalName: String?

    package init(
        rfc822Name: String? = nil, dNSName: String? = nil, uniformResourceIdentifier: String? = nil,
        ntPrincipalName: String? = nil
    ) {
        self.rfc822Name = rfc822Name
        self.dNSName = dNSName
        self.uniformResourceIdentifier = uniformResourceIdentifier
        self.ntPrincipalName = ntPrincipalName
    }
}

/// Whom a device asks for its certificate.
package enum RecipeAuthority: Sendable, Equatable, Codable {
    /// This server's own authority.
    case own
    /// Another one: the URL of its SCEP service, or of its ACME directory.
    case external(url: String)

    /// As it is shown.
    package var text: String {
        switch self {
        case .own: "own"
        case .external(let url): url
        }
    }
}

/// How a device asks for a certificate by SCEP.
package struct SCEPRecipe: Sendable, Equatable, Codable {
    package var authority: RecipeAuthority
    /// What the authority is asked by, when it has several.
    package var name: String?
    package var challenge: String?
    /// SHA-256 of the authority's certificate.
    package var authorityFingerprint: Data?
    package var subject: [SubjectAttribute]
    package var subjectAltNames: SubjectAltNames?
    package var keySize: Int
    /// 1 signs, 4 enciphers, 5 both.
    package var keyUsage: Int

    package init(
        authority: RecipeAuthority, name: String? = nil, challenge: String? = nil, authorityFingerprint: Data? = nil,
        subject: [SubjectAttribute], subjectAltNames: SubjectAltNames? = nil, keySize: Int = 2_048, keyUsage: Int = 5
    ) {
        self.authority = authority
        self.name = name
        self.challenge = challenge
        self.authorityFingerprint = authorityFingerprint
        self.subject = subject
        self.subjectAltNames = subjectAltNames
        self.keySize = keySize
        self.keyUsage = keyUsage
    }
}

/// How a device asks for a certificate by ACME.
package struct ACMERecipe: Sendable, Equatable, Codable {
    /// As the device's document spells it.
    package enum KeyType: String, Sendable, Codable {
        case rsa = "RSA"
        case ec = "ECSECPrimeRandom"
    }

    package var authority: RecipeAuthority
    /// Whom another authority is to certify; may hold variables of the device.
    ///
    /// This server's own hands out its own.
    package var clientIdentifier: String
    package var subject: [SubjectAttribute]
    package var subjectAltNames: SubjectAltNames?
    package var keyType: KeyType
    package var keySize: Int
    package var hardwareBound: Bool
    package var attest: Bool
    package var usageFlags: Int?
    /// Dotted numbers.
    package var extendedKeyUsage: [String]

    package init(
        authority: RecipeAuthority, clientIdentifier: String, subject: [SubjectAttribute],
        subjectAltNames: SubjectAltNames? = nil, keyType: KeyType = .ec, keySize: Int = 256,
        hardwareBound: Bool = false, attest: Bool = false, usageFlags: Int? = nil, extendedKeyUsage: [String] = []
    ) {
        self.authority = authority
        self.clientIdentifier = clientIdentifier
        self.subject = subject
        self.subjectAltNames = subjectAltNames
        self.keyType = keyType
        self.keySize = keySize
        self.hardwareBound = hardwareBound
        self.attest = attest
        self.usageFlags = usageFlags
        self.extendedKeyUsage = extendedKeyUsage
    }
}
