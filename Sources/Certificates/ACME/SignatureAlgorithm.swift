package import Crypto
package import CryptoExtras
package import Foundation

/// The signature algorithms of requests (RFC 7518 §3): each belongs to one kind of key.
package enum SignatureAlgorithm: String, Sendable, CaseIterable {
    case es256 = "ES256"
    case es384 = "ES384"
    case rs256 = "RS256"
}

extension JSONWebKey {
    /// The only algorithm this key signs with: what a header claims cannot choose another.
    package var algorithm: SignatureAlgorithm {
        switch key {
        case .p256: .es256
        case .p384: .es384
        case .rsa: .rs256
        }
    }

    func isValid(_ signature: Data, for input: Data) -> Bool {
        switch key {
        case .p256(let key):
            guard let signature = try? P256.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: input)
        case .p384(let key):
            guard let signature = try? P384.Signing.ECDSASignature(rawRepresentation: signature) else { return false }
            return key.isValidSignature(signature, for: input)
        case .rsa(let key):
            guard signature.count == (key.keySizeInBits + 7) / 8 else { return false }
            return key.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: signature), for: SHA256.hash(data: input),
                padding: .insecurePKCS1v1_5)
        }
    }
}

/// The private key of an ACME account.
///
/// It signs requests and nothing else: certificates are for other keys.
package enum AccountKey: Sendable {
    case p256(P256.Signing.PrivateKey)
    case p384(P384.Signing.PrivateKey)
    case rsa(_RSA.Signing.PrivateKey)

    /// A new key on P-256.
    package static func generate() -> AccountKey { .p256(P256.Signing.PrivateKey()) }

    /// Reads PKCS #8.
    package init(pkcs8 der: Data) throws {
        if let key = try? P256.Signing.PrivateKey(derRepresentation: der) {
            self = .p256(key)
        } else if let key = try? P384.Signing.PrivateKey(derRepresentation: der) {
            self = .p384(key)
        } else if let key = try? _RSA.Signing.PrivateKey(derRepresentation: der) {
            self = .rsa(key)
        } else {
            throw JSONWebKeyRefusal.kind
        }
    }

    /// PKCS #8 in DER: secret.
    package var pkcs8: Data {
        switch self {
        case .p256(let key): key.derRepresentation
        case .p384(let key): key.derRepresentation
        case .rsa(let key): key.pkcs8DERRepresentation
        }
    }

    package func publicKey() throws(JSONWebKeyRefusal) -> JSONWebKey {
        switch self {
        case .p256(let key): try JSONWebKey(.p256(key.publicKey))
        case .p384(let key): try JSONWebKey(.p384(key.publicKey))
        case .rsa(let key): try JSONWebKey(.rsa(key.publicKey))
        }
    }

    func signature(for input: Data) throws -> Data {
        switch self {
        case .p256(let key): try key.signature(for: input).rawRepresentation
        case .p384(let key): try key.signature(for: input).rawRepresentation
        case .rsa(let key):
            try key.signature(for: SHA256.hash(data: input), padding: .insecurePKCS1v1_5).rawRepresentation
        }
    }
}

extension AccountKey: CustomStringConvertible {
    /// The key itself is left out: it is secret.
    package var description: String {
        switch self {
        case .p256: "P-256 account key"
        case .p384: "P-384 account key"
        case .rsa: "RSA account key"
        }
    }
}

extension AccountKey: CustomDebugStringConvertible {
    package var debugDescription: String { description }
}
