import Crypto
import CryptoExtras
import Foundation
import InputBounds
import OpenIDConnect

/// Signs identity tokens as a provider does, with code that is not the server's.
struct TokenSigner: Sendable {
    private enum Key: Sendable {
        case rsa(_RSA.Signing.PrivateKey)
        case p256(P256.Signing.PrivateKey)
        case p384(P384.Signing.PrivateKey)
        case p521(P521.Signing.PrivateKey)
        case ed25519(Curve25519.Signing.PrivateKey)
    }

    let algorithm: String
    private let key: Key

    /// RSA keys are slow to make: one for all tests.
    private static let rsaKey = Result { try _RSA.Signing.PrivateKey(keySize: .bits2048) }

    init(_ algorithm: String) throws {
        self.algorithm = algorithm
        switch algorithm {
        case "ES256": key = .p256(P256.Signing.PrivateKey())
        case "ES384": key = .p384(P384.Signing.PrivateKey())
        case "ES512": key = .p521(P521.Signing.PrivateKey())
        case "EdDSA": key = .ed25519(Curve25519.Signing.PrivateKey())
        default: key = .rsa(try Self.rsaKey.get())
        }
    }

    /// The public key as an entry of a key set, with further members.
    func entry(_ members: [String: JSONValue] = [:]) throws -> JSONValue {
        let own: [String: JSONValue]
        switch key {
        case .rsa(let key):
            let primitives = try key.publicKey.getKeyPrimitives()
            own = [
                "kty": .string("RSA"), "n": .string(Proof.text(primitives.modulus)),
                "e": .string(Proof.text(primitives.publicExponent)),
            ]
        case .p256(let key): own = Self.point("P-256", key.publicKey.rawRepresentation)
        case .p384(let key): own = Self.point("P-384", key.publicKey.rawRepresentation)
        case .p521(let key): own = Self.point("P-521", key.publicKey.rawRepresentation)
        case .ed25519(let key):
            own = [
                "kty": .string("OKP"), "crv": .string("Ed25519"),
                "x": .string(Proof.text(key.publicKey.rawRepresentation)),
            ]
        }
        return .object(own.merging(members) { $1 })
    }

    /// A token of these claims; `members` stand in its header beside the algorithm.
    func token(_ claims: [String: JSONValue], _ members: [String: JSONValue] = [:]) throws -> String {
        let header = JSONValue.object(["alg": JSONValue.string(algorithm)].merging(members) { $1 })
        let signed = "\(Proof.text(header.encoded())).\(Proof.text(JSONValue.object(claims).encoded()))"
        return "\(signed).\(Proof.text(try signature(of: Data(signed.utf8))))"
    }

    private static func point(_ curve: String, _ raw: Data) -> [String: JSONValue] {
        let half = raw.count / 2
        return [
            "kty": .string("EC"), "crv": .string(curve), "x": .string(Proof.text(Data(raw.prefix(half)))),
            "y": .string(Proof.text(Data(raw.suffix(half)))),
        ]
    }

    private func signature(of data: Data) throws -> Data {
        switch key {
        case .rsa(let key):
            let padding: _RSA.Signing.Padding = algorithm.hasPrefix("PS") ? .PSS : .insecurePKCS1v1_5
            switch algorithm.suffix(3) {
            case "384": return try key.signature(for: SHA384.hash(data: data), padding: padding).rawRepresentation
            case "512": return try key.signature(for: SHA512.hash(data: data), padding: padding).rawRepresentation
            default: return try key.signature(for: SHA256.hash(data: data), padding: padding).rawRepresentation
            }
        case .p256(let key): return try key.signature(for: data).rawRepresentation
        case .p384(let key): return try key.signature(for: data).rawRepresentation
        case .p521(let key): return try key.signature(for: data).rawRepresentation
        case .ed25519(let key): return try key.signature(for: data)
        }
    }

    /// A key set of these entries.
    static func keys(_ entries: [JSONValue]) throws -> ProviderKeys {
        try ProviderKeys(parsing: JSONValue.object(["keys": .array(entries)]).encoded())
    }
}
