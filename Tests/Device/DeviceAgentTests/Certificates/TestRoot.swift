import Crypto
import Foundation
import SwiftASN1
import X509

/// Certificates that are roots, and some that are not.
enum TestRoot {
    static let now = Date(timeIntervalSince1970: 1_800_000_000)

    /// A certificate in DER; its own root unless `issuer` names another.
    static func der(
        _ name: String = "Root", isAuthority: Bool = true, usage: KeyUsage? = KeyUsage(keyCertSign: true),
        from: Date = now - 86_400, until: Date = now + 86_400, issuer: String? = nil, signsItself: Bool = true
    ) throws -> Data {
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
        var serializer = DER.Serializer()
        try certificate.serialize(into: &serializer)
        return Data(serializer.serializedBytes)
    }
}
