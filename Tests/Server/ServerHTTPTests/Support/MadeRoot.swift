import AdminMessages
import Crypto
import Foundation
import SwiftASN1
import X509

/// Certificates of authorities that issued themselves, and some that are none.
enum MadeRoot {
    /// One that every test may have where its content does not matter.
    static let shared = Result { try pem("Root") }

    /// A certificate in PEM that its own key signed.
    static func pem(
        _ name: String, isAuthority: Bool = true, until end: Date = Date(timeIntervalSinceNow: 90 * 86_400)
    ) throws -> String {
        let key = P256.Signing.PrivateKey()
        let subject = try DistinguishedName { CommonName(name) }
        let constraints: BasicConstraints =
            isAuthority ? .isCertificateAuthority(maxPathLength: nil) : .notCertificateAuthority
        let certificate = try Certificate(
            version: .v3, serialNumber: Certificate.SerialNumber(), publicKey: Certificate.PublicKey(key.publicKey),
            notValidBefore: Date(timeIntervalSinceNow: -10 * 86_400), notValidAfter: end,
            issuer: subject, subject: subject, signatureAlgorithm: .ecdsaWithSHA256,
            extensions: Certificate.Extensions {
                Critical(constraints)
                Critical(KeyUsage(keyCertSign: true))
            },
            issuerPrivateKey: Certificate.PrivateKey(key))
        return try certificate.serializeAsPEM().pemString
    }

    static func request(_ pem: String) -> SettingRequest {
        SettingRequest(payload: .object(["certificate": .string(pem)]))
    }
}
