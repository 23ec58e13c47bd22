import Crypto
import Foundation
import InputBounds
import SwiftASN1
import X509

/// Certificates that are roots, and some that are not.
enum MadeRoot {
    static let now = Date(timeIntervalSince1970: 1_800_000_000)

    /// A certificate in PEM; its own root unless `issuer` names another.
    static func pem(
        _ name: String = "Root", isAuthority: Bool = true, usage: KeyUsage? = KeyUsage(keyCertSign: true),
        from: Date = now - 86_400, until: Date = now + 90 * 86_400, issuer: String? = nil, signsItself: Bool = true
    ) throws -> String {
        let key = P256.Signing.PrivateKey()
        var extensions: [Certificate.Extension] = [
            try .init(
                isAuthority
                    ? BasicConstraints.isCertificateAuthority(maxPathLength: nil) : .notCertificateAuthority,
                critical: true)
        ]
        if let usage { extensions.append(try .init(usage, critical: true)) }
        let certificate = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: .init(key.publicKey),
            notValidBefore: from, notValidAfter: until, issuer: DistinguishedName { CommonName(issuer ?? name) },
            subject: DistinguishedName { CommonName(name) }, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: Certificate.Extensions(extensions),
            issuerPrivateKey: .init(signsItself ? key : P256.Signing.PrivateKey()))
        return try certificate.serializeAsPEM().pemString
    }

    static func payload(_ pem: String) -> JSONValue { .object(["certificate": .string(pem)]) }

    static func der(of pem: String) throws -> Data { Data(try PEMDocument(pemString: pem).derBytes) }
}
