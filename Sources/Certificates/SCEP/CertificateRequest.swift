import Crypto
import CryptoExtras
package import Foundation
import SwiftASN1
import X509

/// A PKCS #10 request whose signature was checked.
package struct CertificateRequest: Sendable {
    package let der: Data
    /// The first common name of the subject: what the requester calls itself, not proven.
    package let subjectCN: String?
    /// SubjectPublicKeyInfo in DER.
    package let publicKeyDER: Data
    /// The SHA-256 digest of `publicKeyDER`.
    package let publicKeyDigest: Data
    /// Secret: the enrollment code, where profiles carry it.
    package let challengePassword: String?
    package let isRSA: Bool
    package let usesSHA1: Bool

    private static let sizeLimit = 16_384
    static let challengeLimit = 255
    private static let attributeLimit = 16

    package init(parsing der: Data) throws(CertificateRequestRefusal) {
        guard der.count <= Self.sizeLimit else { throw .tooLarge }
        guard let request = try? CertificateSigningRequest(derEncoded: [UInt8](der)),
            let keyDER = try? request.publicKey.der
        else { throw .malformed }
        if let rsa = _RSA.Signing.PublicKey(request.publicKey) {
            guard (2048...4096).contains(rsa.keySizeInBits) else { throw .key }
            isRSA = true
        } else {
            guard P256.Signing.PublicKey(request.publicKey) != nil || P384.Signing.PublicKey(request.publicKey) != nil
            else { throw .key }
            isRSA = false
        }
        guard request.publicKey.isValidSignature(request.signature, for: request) else { throw .signature }
        guard request.attributes.count <= Self.attributeLimit else { throw .attributes }
        guard request.subject.commonName?.unicodeScalars.contains("\0") != true else { throw .subject }
        self.der = der
        subjectCN = request.subject.commonName
        publicKeyDER = keyDER
        publicKeyDigest = Data(SHA256.hash(data: keyDER))
        usesSHA1 = request.signatureAlgorithm == .sha1WithRSAEncryption
        challengePassword = try Self.challenge(in: request.attributes)
    }

    private static func challenge(
        in attributes: CertificateSigningRequest.Attributes
    ) throws(CertificateRequestRefusal) -> String? {
        let found = attributes.filter { $0.oid == .challengePassword }
        guard let attribute = found.first else { return nil }
        guard found.count == 1, attribute.values.count == 1, let value = attribute.values.first else {
            throw .attributes
        }
        guard let text = DirectoryText.text(value) else { throw .attributes }
        guard text.utf8.count <= challengeLimit, !text.utf8.contains(0) else { throw .attributes }
        return text.isEmpty ? nil : text
    }
}

/// Why a certificate request is refused.
package enum CertificateRequestRefusal: String, Error, Sendable, CaseIterable {
    case tooLarge
    case malformed
    case key
    case signature
    case attributes
    case subject
    case legacyAlgorithm
}

extension CertificateRequestRefusal: CustomStringConvertible {
    package var description: String {
        switch self {
        case .tooLarge: "it exceeds 16384 bytes"
        case .malformed: "it is not DER of PKCS #10, or its key is of an unknown kind or below 2048 bits"
        case .key: "its key is not of an accepted kind and size"
        case .signature: "its signature does not verify"
        case .attributes: "its challenge is repeated, too long, not text or with a NUL, or it has too many attributes"
        case .subject: "its subject has an unknown kind of name, or a name with a NUL"
        case .legacyAlgorithm: "it is signed with SHA-1, which was not allowed for it"
        }
    }
}

extension CertificateRequest: CustomStringConvertible {
    /// The challenge is left out: it is a secret.
    package var description: String { "certificate request for key \(publicKeyDigest.prefix(4).hex)…" }
}

extension CertificateRequest: CustomDebugStringConvertible {
    package var debugDescription: String { description }
}

extension ASN1ObjectIdentifier {
    static let challengePassword: ASN1ObjectIdentifier = [1, 2, 840, 113549, 1, 9, 7]
}

extension Certificate.PublicKey {
    var der: Data {
        get throws {
            var serializer = DER.Serializer()
            try serializer.serialize(self)
            return Data(serializer.serializedBytes)
        }
    }
}

extension Data {
    var hex: String {
        let digits = Array("0123456789abcdef".utf8)
        return String(decoding: flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
    }
}
