import Crypto
package import Foundation
import SwiftASN1
package import X509

/// Certificates that are roots, and some that are not.
package enum MadeRoot {
    /// Long before any moment of a test, and long after it.
    package static let usualTerm = (
        from: Date(timeIntervalSince1970: 1_500_000_000), until: Date(timeIntervalSince1970: 2_500_000_000)
    )

    /// A certificate in PEM; its own root unless `issuer` names another or another key signs it.
    ///
    /// It says nothing of what its key may be used for where `usage` is nothing.
    package static func pem(
        _ name: String = "Root", isAuthority: Bool = true, usage: KeyUsage? = KeyUsage(keyCertSign: true),
        from: Date = usualTerm.from, until: Date = usualTerm.until, issuer: String? = nil, signsItself: Bool = true
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
}
