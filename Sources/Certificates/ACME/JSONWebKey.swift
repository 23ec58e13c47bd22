import Crypto
import CryptoExtras
package import Foundation
package import InputBounds

/// A public key as ACME carries it (RFC 7517): P-256, P-384 or RSA of 2048 to 4096 bits.
package struct JSONWebKey: Sendable {
    enum Key: Sendable {
        case p256(P256.Signing.PublicKey)
        case p384(P384.Signing.PublicKey)
        case rsa(_RSA.Signing.PublicKey)
    }

    let key: Key
    /// The members that RFC 7638 takes for the thumbprint, and no others.
    package let json: JSONValue

    init(_ key: Key) throws(JSONWebKeyRefusal) {
        self.key = key
        switch key {
        case .p256(let key): json = Self.curve("P-256", point: key.rawRepresentation)
        case .p384(let key): json = Self.curve("P-384", point: key.rawRepresentation)
        case .rsa(let key):
            guard let (modulus, exponent) = try? key.numbers() else { throw .key }
            json = .object([
                "kty": .string("RSA"), "n": .string(Base64URL.encode(modulus)),
                "e": .string(Base64URL.encode(exponent)),
            ])
        }
    }

    /// Reads a key; members that do not belong to a public key of its kind are refused where they would be secret.
    package init(_ value: JSONValue) throws(JSONWebKeyRefusal) {
        guard case .object(let members) = value else { throw .shape }
        guard members["d"] == nil, members["p"] == nil, members["q"] == nil, members["k"] == nil else { throw .secret }
        switch members["kty"]?.string {
        case "EC":
            guard let x = Self.number(members["x"]), let y = Self.number(members["y"]) else { throw .shape }
            try self.init(Self.curveKey(members["crv"]?.string, x: x, y: y))
        case "RSA":
            guard let modulus = Self.number(members["n"]), let exponent = Self.number(members["e"]),
                modulus.first != 0, exponent.first != 0, modulus.count <= 512, exponent.count <= 8
            else { throw .shape }
            guard let key = try? _RSA.Signing.PublicKey(n: modulus, e: exponent),
                (2048...4096).contains(key.keySizeInBits)
            else { throw .key }
            try self.init(.rsa(key))
        default: throw .kind
        }
    }

    /// Reads what `json` wrote.
    package init(stored bytes: Data) throws {
        try self.init(JSONValue(parsing: bytes, limits: InputLimits(bytes: 4_096, depth: 2, objects: 16)))
    }

    /// The SHA-256 thumbprint (RFC 7638), which names the key.
    package var thumbprint: String { Base64URL.encode(SHA256.hash(data: json.encoded())) }

    /// The key as SubjectPublicKeyInfo in DER.
    package var publicKeyInfo: Data {
        switch key {
        case .p256(let key): key.derRepresentation
        case .p384(let key): key.derRepresentation
        case .rsa(let key): key.derRepresentation
        }
    }

    private static func curveKey(_ name: String?, x: Data, y: Data) throws(JSONWebKeyRefusal) -> Key {
        switch name {
        case "P-256":
            guard x.count == 32, y.count == 32 else { throw .shape }
            guard let key = try? P256.Signing.PublicKey(rawRepresentation: x + y) else { throw .key }
            return .p256(key)
        case "P-384":
            guard x.count == 48, y.count == 48 else { throw .shape }
            guard let key = try? P384.Signing.PublicKey(rawRepresentation: x + y) else { throw .key }
            return .p384(key)
        default: throw .kind
        }
    }

    private static func curve(_ name: String, point: Data) -> JSONValue {
        let half = point.count / 2
        return .object([
            "kty": .string("EC"), "crv": .string(name), "x": .string(Base64URL.encode(point.prefix(half))),
            "y": .string(Base64URL.encode(point.suffix(half))),
        ])
    }

    private static func number(_ value: JSONValue?) -> Data? {
        guard let text = value?.string, (1...1_024).contains(text.utf8.count) else { return nil }
        return Base64URL.decode(text)
    }
}

extension JSONWebKey: Equatable {
    package static func == (left: JSONWebKey, right: JSONWebKey) -> Bool { left.json == right.json }
}

/// Why a JSON object is no public key for us.
package enum JSONWebKeyRefusal: String, Error, Sendable, CaseIterable {
    case shape
    case kind
    case key
    case secret
}

extension JSONWebKeyRefusal: CustomStringConvertible {
    package var description: String {
        switch self {
        case .shape: "a member of the key is missing, or not Base64 for URLs of the right length"
        case .kind: "the key is neither RSA nor on the curves P-256 and P-384"
        case .key: "the numbers are no public key, or RSA below 2048 or above 4096 bits"
        case .secret: "the key has secret members"
        }
    }
}

extension _RSA.Signing.PublicKey {
    /// Modulus and exponent without leading zeroes, as RFC 7518 §6.3.1 writes them.
    fileprivate func numbers() throws -> (modulus: Data, exponent: Data) {
        let primitives = try getKeyPrimitives()
        return (Data(primitives.modulus.drop { $0 == 0 }), Data(primitives.publicExponent.drop { $0 == 0 }))
    }
}
