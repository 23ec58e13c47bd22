package import CryptographicMessages
package import Foundation
import SwiftASN1
package import X509

extension CertificateRequest {
    /// Writes and signs a request.
    ///
    /// The subject has the form of a SCEP profile: relative names of pairs like `["CN", "device"]`.
    package static func make(
        subject: [[[String]]], challenge: String?, key: SigningKey, wishes: CertificateWishes = CertificateWishes()
    ) throws -> Data {
        let request = try CertificateSigningRequest(
            version: .v1, subject: DistinguishedName(profileSubject: subject), privateKey: key.certificateKey,
            attributes: attributes(challenge, wishes))
        return try der(request)
    }

    /// The same for a key that may live elsewhere and take its time.
    package static func make(
        subject: [[[String]]], key: Certificate.PrivateKey, algorithm: Certificate.SignatureAlgorithm,
        wishes: CertificateWishes
    ) async throws -> Data {
        let request = try await CertificateSigningRequest(
            version: .v1, subject: DistinguishedName(profileSubject: subject), asyncPrivateKey: key,
            attributes: attributes(nil, wishes), signatureAlgorithm: algorithm)
        return try der(request)
    }

    private static func attributes(
        _ challenge: String?, _ wishes: CertificateWishes
    ) throws -> CertificateSigningRequest.Attributes {
        var attributes = CertificateSigningRequest.Attributes()
        if let extensions = try wishes.extensions {
            attributes.insert(try .init(ExtensionRequest(extensions: extensions)))
        }
        if let challenge {
            guard challenge.utf8.count <= challengeLimit else { throw CertificateRequestRefusal.attributes }
            let value: ASN1Any =
                if let printable = try? ASN1PrintableString(challenge) {
                    try ASN1Any(erasing: printable)
                } else {
                    try ASN1Any(erasing: ASN1UTF8String(challenge))
                }
            attributes.insert(.init(oid: .challengePassword, values: [value]))
        }
        return attributes
    }

    private static func der(_ request: CertificateSigningRequest) throws -> Data {
        var serializer = DER.Serializer()
        try serializer.serialize(request)
        return Data(serializer.serializedBytes)
    }
}
