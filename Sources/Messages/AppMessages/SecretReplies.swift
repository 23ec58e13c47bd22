package import Foundation

/// A password, as `GetPassword` answers.
package struct PasswordReply: Codable, Equatable, Sendable {
    /// The password itself.
    package let password: String

    /// Answers with a password.
    package init(_ password: String) {
        self.password = password
    }
}

/// A certificate, as `GetCertificate` answers.
package struct CertificateReply: Codable, Equatable, Sendable {
    /// The certificate in DER; base64 on the wire.
    package let certificate: Data

    /// Answers with a certificate.
    package init(_ certificate: Data) {
        self.certificate = certificate
    }
}

/// An identity, as `GetIdentity` answers: all of it but the private key, which stays with the agent.
package struct IdentityReply: Codable, Equatable, Sendable {
    /// The two kinds of keys.
    package enum KeyType: String, Codable, Sendable {
        case rsa = "RSA"
        case ec = "EC"
    }

    /// The most certificates in a chain, and the most bytes of one; more is not read.
    package static let mostCertificates = 16
    package static let largestCertificate = 65_536

    /// DER, the identity's own first.
    package let certificates: [Data]
    package let keyType: KeyType

    /// In bits.
    package let keySize: Int

    /// Names this very key: another after each renewal.
    package let reference: String

    /// Whether a chip holds the key.
    package let hardwareBound: Bool

    /// Whether the chip has proved this to the authority that issued the certificate.
    package let attested: Bool

    /// Answers with an identity.
    package init(
        certificates: [Data], keyType: KeyType, keySize: Int, reference: String, hardwareBound: Bool = false,
        attested: Bool = false
    ) {
        self.certificates = certificates
        self.keyType = keyType
        self.keySize = keySize
        self.reference = reference
        self.hardwareBound = hardwareBound
        self.attested = attested
    }

    package init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        certificates = try values.decode([Data].self, forKey: .certificates)
        guard (1...Self.mostCertificates).contains(certificates.count),
            certificates.allSatisfy({ (1...Self.largestCertificate).contains($0.count) })
        else {
            throw DecodingError.dataCorruptedError(
                forKey: .certificates, in: values, debugDescription: "a chain has a bounded number of certificates")
        }
        keyType = try values.decode(KeyType.self, forKey: .keyType)
        keySize = try values.decode(Int.self, forKey: .keySize)
        reference = try values.decode(String.self, forKey: .reference)
        guard (1...SignRequest.longestReference).contains(reference.utf8.count) else {
            throw DecodingError.dataCorruptedError(
                forKey: .reference, in: values, debugDescription: "a reference has a bounded length")
        }
        hardwareBound = try values.decode(Bool.self, forKey: .hardwareBound)
        attested = try values.decode(Bool.self, forKey: .attested)
    }
}

/// A signature, as `Sign` answers.
package struct SignatureReply: Codable, Equatable, Sendable {
    /// As RSA makes it, or for ECDSA the pair of X9.62 in DER; base64 on the wire.
    package let signature: Data

    /// Answers with a signature.
    package init(_ signature: Data) {
        self.signature = signature
    }
}
