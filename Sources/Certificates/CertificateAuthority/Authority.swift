import Crypto
import CryptoExtras
package import Foundation
import SwiftASN1
import X509

/// A certificate authority of one installation: issues certificates and knows its own.
///
/// There are two: one for devices and the server, another for the identities of apps.
/// Its key is RSA-2048 because SCEP clients encrypt their request to it.
package struct Authority: Sendable {
    package let certificateDER: Data
    package let certificatePEM: String
    /// The private key as PKCS #8: secret, for one file that only the server reads.
    package let keyPEM: String
    /// Where the list of revoked certificates is, as the certificates of identities name it.
    package var revocationList: String?
    /// Where one can ask whether a certificate is revoked, as they name it.
    package var statusService: String?

    let certificate: Certificate
    let key: Certificate.PrivateKey
    /// The same, for what is no certificate.
    let rsa: _RSA.Signing.PrivateKey

    /// Clocks differ: a new certificate is already valid for a peer whose clock is this much behind.
    package static let clockTolerance: TimeInterval = 300
    package static let authorityValidity: TimeInterval = 10 * 365 * 86_400
    package static let deviceValidity: TimeInterval = 365 * 86_400
    package static let serverValidity: TimeInterval = 365 * 86_400

    /// A key for a new authority.
    package static func newKey() throws -> String {
        try _RSA.Signing.PrivateKey(keySize: .bits2048).pkcs8PEMRepresentation
    }

    /// Makes a new authority, with a key of its own unless one is given.
    package static func create(
        commonName: String, keyPEM: String? = nil, now: Date, validity: TimeInterval = authorityValidity,
        serial: CertificateSerial = .random()
    ) throws -> Authority {
        guard let rsa = try? _RSA.Signing.PrivateKey(pemRepresentation: keyPEM ?? newKey()) else {
            throw UnusableAuthority.key
        }
        let key = Certificate.PrivateKey(rsa)
        let name = try DistinguishedName { CommonName(commonName) }
        let certificate = try Certificate(
            version: .v3,
            serialNumber: Certificate.SerialNumber(bytes: serial.bytes),
            publicKey: key.publicKey,
            notValidBefore: now - clockTolerance,
            notValidAfter: now + validity,
            issuer: name,
            subject: name,
            signatureAlgorithm: .sha256WithRSAEncryption,
            extensions: Certificate.Extensions {
                Critical(BasicConstraints.isCertificateAuthority(maxPathLength: 0))
                Critical(
                    KeyUsage(digitalSignature: true, keyEncipherment: true, keyCertSign: true, cRLSign: true))
                SubjectKeyIdentifier(hash: key.publicKey)
            },
            issuerPrivateKey: key)
        return try Authority(certificate: certificate, keyPEM: rsa.pkcs8PEMRepresentation)
    }

    /// Reads an authority that was stored.
    package init(certificatePEM: String, keyPEM: String) throws {
        let certificate: Certificate
        do { certificate = try Certificate(pemEncoded: certificatePEM) } catch { throw UnusableAuthority.certificate }
        try self.init(certificate: certificate, keyPEM: keyPEM)
    }

    private init(certificate: Certificate, keyPEM: String) throws {
        guard let rsa = try? _RSA.Signing.PrivateKey(pemRepresentation: keyPEM) else { throw UnusableAuthority.key }
        let key = Certificate.PrivateKey(rsa)
        guard key.publicKey == certificate.publicKey else { throw UnusableAuthority.keyOfAnother }
        guard case .isCertificateAuthority = try certificate.extensions.basicConstraints else {
            throw UnusableAuthority.notAnAuthority
        }
        self.certificate = certificate
        self.key = key
        self.rsa = rsa
        self.keyPEM = keyPEM
        certificateDER = try certificate.der
        certificatePEM = try certificate.serializeAsPEM().pemString
    }

    /// The SHA-256 digest of the authority's certificate, as profiles and administrators name it.
    package var fingerprint: Data { Data(SHA256.hash(data: certificateDER)) }
}

/// Why stored files do not make an authority.
package enum UnusableAuthority: Error, Sendable, Equatable {
    case certificate
    case key
    case keyOfAnother
    case notAnAuthority
}

/// The serial number of a certificate: 128 random bits, positive.
package struct CertificateSerial: Hashable, Sendable {
    package let bytes: [UInt8]

    /// Takes up to 20 octets, the limit of RFC 5280; the sign bit is cleared.
    package init(bytes: [UInt8]) {
        precondition((1...20).contains(bytes.count) && bytes.contains { $0 & 0x7f != 0 }, "1 to 20 octets, not zero")
        var bytes = bytes
        bytes[0] &= 0x7f
        self.bytes = bytes
    }

    package static func random() -> CertificateSerial {
        var generator = SystemRandomNumberGenerator()
        return random(using: &generator)
    }

    package static func random(using generator: inout some RandomNumberGenerator) -> CertificateSerial {
        var bytes = (0..<16).map { _ in UInt8.random(in: .min ... .max, using: &generator) }
        bytes[0] |= 0x40  // not zero, and always the same length
        return CertificateSerial(bytes: bytes)
    }
}

extension Certificate {
    var der: Data {
        get throws {
            var serializer = DER.Serializer()
            try serializer.serialize(self)
            return Data(serializer.serializedBytes)
        }
    }
}
