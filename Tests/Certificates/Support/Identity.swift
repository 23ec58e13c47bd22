import CertificateAuthority
import CryptographicMessages
import Foundation
import Testing

/// A certificate with its key, issued by the test authority.
struct Identity: Sendable {
    let certificateDER: Data
    let key: SigningKey

    static let now = Date(timeIntervalSince1970: 1_800_000_000)

    static let authority = Result { try Authority.create(commonName: "Test CA", now: now) }
    private static let rsaIdentity = Result { try issue(.rsa2048, "rsa device") }
    private static let otherIdentity = Result { try issue(.rsa2048, "other device") }
    private static let p256Identity = Result { try issue(.p256, "p256 device") }
    private static let p384Identity = Result { try issue(.p384, "p384 device") }

    static var rsa: Identity { get throws { try rsaIdentity.get() } }
    static var otherRSA: Identity { get throws { try otherIdentity.get() } }

    static func of(_ algorithm: SigningKey.Algorithm) throws -> Identity {
        switch algorithm {
        case .rsa2048: try rsaIdentity.get()
        case .p256: try p256Identity.get()
        case .p384: try p384Identity.get()
        default: try issue(algorithm, "device")
        }
    }

    private static func issue(_ algorithm: SigningKey.Algorithm, _ name: String) throws -> Identity {
        let key = try SigningKey.generate(algorithm)
        let der = try authority.get().issueDevice(
            publicKeyDER: key.publicKeyInfo, commonName: name, notBefore: now - 300, notAfter: now + 1_000_000)
        return Identity(certificateDER: der, key: key)
    }

    var certificatePEM: String { Self.pem(certificateDER) }

    static func pem(_ certificateDER: Data) -> String {
        "-----BEGIN CERTIFICATE-----\n"
            + certificateDER.base64EncodedString(options: [.lineLength64Characters, .endLineWithLineFeed])
            + "\n-----END CERTIFICATE-----\n"
    }
}
