package import Foundation

/// Sets a secret. `PUT /secrets/{name}`
///
/// The body is an object with one member, which names the kind. What it holds is never answered again.
package enum SecretRequest: Hashable, Sendable, Concealed {
    case password(PasswordSecret)
    case certificate(CertificateSecret)
    case pkcs12(PKCS12Secret)
    case scep(SCEPSecret)
    case acme(ACMESecret)

    package var kind: SecretKind {
        switch self {
        case .password: .password
        case .certificate: .certificate
        case .pkcs12: .pkcs12
        case .scep: .scep
        case .acme: .acme
        }
    }
}

extension SecretRequest: Codable {
    private enum Kind: String, CodingKey, CaseIterable {
        case password, certificate, pkcs12, scep, acme
    }

    package init(from decoder: any Decoder) throws {
        let container = try decoder.container(keyedBy: Kind.self)
        guard let kind = container.allKeys.first, container.allKeys.count == 1 else {
            throw MessageRefusal(
                rule: "A secret has one member, which is password, certificate, pkcs12, scep or acme.")
        }
        switch kind {
        case .password: self = .password(try container.decode(PasswordSecret.self, forKey: kind))
        case .certificate: self = .certificate(try container.decode(CertificateSecret.self, forKey: kind))
        case .pkcs12: self = .pkcs12(try container.decode(PKCS12Secret.self, forKey: kind))
        case .scep: self = .scep(try container.decode(SCEPSecret.self, forKey: kind))
        case .acme: self = .acme(try container.decode(ACMESecret.self, forKey: kind))
        }
    }

    package func encode(to encoder: any Encoder) throws {
        var container = encoder.container(keyedBy: Kind.self)
        switch self {
        case .password(let value): try container.encode(value, forKey: .password)
        case .certificate(let value): try container.encode(value, forKey: .certificate)
        case .pkcs12(let value): try container.encode(value, forKey: .pkcs12)
        case .scep(let value): try container.encode(value, forKey: .scep)
        case .acme(let value): try container.encode(value, forKey: .acme)
        }
    }
}

/// A password, and whose it is.
package struct PasswordSecret: Codable, Hashable, Sendable, Concealed {
    package var userName: String?
    package var password: String

    package init(userName: String? = nil, password: String) {
        self.userName = userName
        self.password = password
    }
}

/// A certificate without its key: `file` is what a PEM or DER file holds, in Base64.
package struct CertificateSecret: Codable, Hashable, Sendable {
    package var file: Data

    package init(file: Data) { self.file = file }
}

/// An identity made elsewhere: `file` is what a PKCS #12 file holds, in Base64, and the password that opens it.
package struct PKCS12Secret: Codable, Hashable, Sendable, Concealed {
    package var file: Data
    package var password: String

    package init(file: Data, password: String) {
        self.file = file
        self.password = password
    }
}

/// An identity whose key a device makes, with a certificate by SCEP.
package struct SCEPSecret: Codable, Hashable, Sendable, Concealed {
    /// Another authority's SCEP address; this server's authority without it.
    package var url: String?
    /// What the other authority calls itself.
    package var name: String?
    /// What the other authority asks for.
    package var challenge: String?
    /// SHA-256 of the other authority's certificate, in hexadecimal digits.
    package var authorityFingerprint: String?
    /// The pairs of a name, such as `["CN", "${device.serialNumber}"]`.
    package var subject: [[String]]
    package var subjectAltName: SubjectAltName?
    /// Bits of the RSA key; 2048 without it.
    package var keySize: Int?
    /// 1 signs, 4 enciphers, 5 does both; 5 without it.
    package var keyUsage: Int?

    package init(
        url: String? = nil, name: String? = nil, challenge: String? = nil, authorityFingerprint: String? = nil,
        subject: [[String]], subjectAltName: SubjectAltName? = nil, keySize: Int? = nil, keyUsage: Int? = nil
    ) {
        self.url = url
        self.name = name
        self.challenge = challenge
        self.authorityFingerprint = authorityFingerprint
        self.subject = subject
        self.subjectAltName = subjectAltName
        self.keySize = keySize
        self.keyUsage = keyUsage
    }
}

/// An identity whose key a device makes, with a certificate by ACME.
package struct ACMESecret: Codable, Hashable, Sendable {
    /// Another authority's directory; this server's authority without it.
    package var directoryURL: String?
    /// How the device names itself to the authority; its serial number without it.
    package var clientIdentifier: String?
    /// The pairs of a name, such as `["CN", "${device.serialNumber}"]`.
    package var subject: [[String]]
    package var subjectAltName: SubjectAltName?
    /// `EC` or `RSA`; EC without it.
    package var keyType: String?
    /// Bits of the key; 256 of EC and 2048 of RSA without it.
    package var keySize: Int?
    /// The key is made in the device's chip and never leaves it.
    package var hardwareBound: Bool?
    /// The device proves to the authority that the chip holds the key.
    package var attest: Bool?
    /// 1 signs, 4 enciphers, 5 does both.
    package var keyUsage: Int?
    /// What the certificate is for, as dotted numbers.
    package var extendedKeyUsage: [String]?

    package init(
        directoryURL: String? = nil, clientIdentifier: String? = nil, subject: [[String]],
        subjectAltName: SubjectAltName? = nil, keyType: String? = nil, keySize: Int? = nil,
        hardwareBound: Bool? = nil, attest: Bool? = nil, keyUsage: Int? = nil, extendedKeyUsage: [String]? = nil
    ) {
        self.directoryURL = directoryURL
        self.clientIdentifier = clientIdentifier
        self.subject = subject
        self.subjectAltName = subjectAltName
        self.keyType = keyType
        self.keySize = keySize
        self.hardwareBound = hardwareBound
        self.attest = attest
        self.keyUsage = keyUsage
        self.extendedKeyUsage = extendedKeyUsage
    }
}

/// The other names of a certificate's holder.
package struct SubjectAltName: Codable, Hashable, Sendable {
    package var dns: String?
    package var email: String?
    package var uri: String?
    /// A principal of Windows.
    package var ntPrincipal: String?

    package init(dns: String? = nil, email: String? = nil, uri: String? = nil, ntPrincipal: String? = nil) {
        self.dns = dns
        self.email = email
        self.uri = uri
        self.ntPrincipal = ntPrincipal
    }
}

/// The bounds of a secret's value, the same at the CLI and at the server.
package enum SecretSize {
    /// License keys are passwords, too.
    package static let password = 4_096
    /// A chain of RSA-4096 certificates with its key is below 16 KiB.
    package static let file = 65_536

    /// The refusal of a larger file.
    package static let fileRule = "a certificate's or PKCS #12 file is at most 65,536 bytes"
}
