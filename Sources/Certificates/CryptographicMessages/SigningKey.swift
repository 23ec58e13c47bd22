package import Crypto
package import CryptoExtras
package import Foundation
package import X509

/// A private key that signs: of a device, of the authority, of the server.
///
/// Texts about it name the algorithm only.
package enum SigningKey: Sendable {
    case rsa(_RSA.Signing.PrivateKey)
    case p256(P256.Signing.PrivateKey)
    case p384(P384.Signing.PrivateKey)

    /// What kind of key to make.
    package enum Algorithm: String, Sendable, CaseIterable {
        case rsa2048, rsa3072, rsa4096, p256, p384
    }

    /// Makes a new key.
    package static func generate(_ algorithm: Algorithm) throws -> SigningKey {
        switch algorithm {
        case .rsa2048: .rsa(try _RSA.Signing.PrivateKey(keySize: .bits2048))
        case .rsa3072: .rsa(try _RSA.Signing.PrivateKey(keySize: .bits3072))
        case .rsa4096: .rsa(try _RSA.Signing.PrivateKey(keySize: .bits4096))
        case .p256: .p256(P256.Signing.PrivateKey())
        case .p384: .p384(P384.Signing.PrivateKey())
        }
    }

    /// Reads PEM: PKCS #8, PKCS #1 or SEC 1.
    package init(pem: String) throws {
        if let key = try? _RSA.Signing.PrivateKey(pemRepresentation: pem) {
            self = .rsa(key)
        } else if let key = try? P256.Signing.PrivateKey(pemRepresentation: pem) {
            self = .p256(key)
        } else if let key = try? P384.Signing.PrivateKey(pemRepresentation: pem) {
            self = .p384(key)
        } else {
            throw UnusableKey.unreadable
        }
    }

    /// Reads PKCS #8.
    package init(pkcs8 der: Data) throws {
        if let key = try? _RSA.Signing.PrivateKey(derRepresentation: der) {
            self = .rsa(key)
        } else if let key = try? P256.Signing.PrivateKey(derRepresentation: der) {
            self = .p256(key)
        } else if let key = try? P384.Signing.PrivateKey(derRepresentation: der) {
            self = .p384(key)
        } else {
            throw UnusableKey.unreadable
        }
    }

    /// PKCS #8 in PEM, as NIOSSL and OpenSSL read it.
    package var pem: String {
        switch self {
        case .rsa(let key): key.pkcs8PEMRepresentation
        case .p256(let key): key.pemRepresentation
        case .p384(let key): key.pemRepresentation
        }
    }

    /// PKCS #8 in DER.
    package var pkcs8: Data {
        switch self {
        case .rsa(let key): key.pkcs8DERRepresentation
        case .p256(let key): key.derRepresentation
        case .p384(let key): key.derRepresentation
        }
    }

    /// The public half as SubjectPublicKeyInfo in DER.
    package var publicKeyInfo: Data {
        switch self {
        case .rsa(let key): key.publicKey.derRepresentation
        case .p256(let key): key.publicKey.derRepresentation
        case .p384(let key): key.publicKey.derRepresentation
        }
    }

    /// The key as swift-certificates signs with it.
    package var certificateKey: Certificate.PrivateKey {
        switch self {
        case .rsa(let key): Certificate.PrivateKey(key)
        case .p256(let key): Certificate.PrivateKey(key)
        case .p384(let key): Certificate.PrivateKey(key)
        }
    }

    package var isRSA: Bool {
        if case .rsa = self { true } else { false }
    }
}

/// Why a text or file is no private key for us.
package enum UnusableKey: Error, Sendable, Equatable {
    case unreadable
}

extension SigningKey: CustomStringConvertible {
    package var description: String {
        switch self {
        case .rsa(let key): "RSA \(key.keySizeInBits) private key"
        case .p256: "P-256 private key"
        case .p384: "P-384 private key"
        }
    }
}

extension SigningKey: CustomDebugStringConvertible {
    package var debugDescription: String { description }
}
