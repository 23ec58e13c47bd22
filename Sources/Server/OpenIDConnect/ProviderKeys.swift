package import Foundation
import InputBounds
import JWTKit

/// The keys of a provider.
///
/// The key decides which algorithms it takes; a token only chooses among these. So nothing is believed that is not signed,
/// or that is signed with a public key as if it were a secret.
///
/// Names of keys are a hint (RFC 7517 §4.5): keys and tokens need not have one, and keys of different types may share one.
package struct ProviderKeys: Sendable {
    /// A provider has a handful: the present ones, the next and the last.
    static let most = 64

    private let keys: [ProviderKey]

    /// Reads a key set; what is not for signatures or is of a kind that is not known is left out (RFC 7517 §5).
    package init(parsing document: Data) throws(OpenIDRefusal) {
        guard let set = try? JSONValue(parsing: document, limits: IdentityToken.limits),
            let entries = set["keys"]?.array
        else { throw OpenIDRefusal.metadata.because("what is at its “jwks_uri” is not a set of keys") }
        guard entries.count <= Self.most else {
            throw OpenIDRefusal.metadata.because("its set of keys has more than \(Self.most)")
        }
        keys = entries.compactMap(ProviderKey.init)
    }

    /// The keys that may have signed a token: those of the name it says, or without a name; all where it says none.
    func candidates(for header: TokenHeader) -> [ProviderKey] {
        var candidates = keys
        if let name = header.key {
            let named = keys.filter { $0.name?.utf8.elementsEqual(name.utf8) == true }
            candidates = named.isEmpty ? keys.filter { $0.name == nil } : named
        }
        return candidates.filter { $0.suits(header.algorithm) }
    }

    /// Verifies that one of the keys signed a token.
    func verify(_ token: String) async throws(OpenIDRefusal) {
        let header = try TokenHeader(of: token)
        let fitting = candidates(for: header)
        guard !fitting.isEmpty else {
            throw OpenIDRefusal.signature.because(
                "none of the provider's \(keys.count) keys that can be used fits the “kid” and “alg” of the token; "
                    + "if it changed its keys just now, try again in a minute")
        }
        for key in fitting {
            if await key.signed(token) { return }
        }
        throw OpenIDRefusal.signature.because("no key that fits made the signature; \(fitting.count) were tried")
    }
}

/// A public key of a provider, as far as it is for signatures.
struct ProviderKey: Sendable {
    /// Its `kid`.
    let name: String?
    private let type: String
    private let curve: String?
    /// The one algorithm that it is for, if it says so.
    private let algorithm: String?
    private let key: JWK

    /// Reads an entry of a key set; nothing where it is of no use here.
    init?(_ entry: JSONValue) {
        guard entry["use"]?.string ?? "sig" == "sig",
            entry["key_ops"]?.array.map({ $0.contains(.string("verify")) }) ?? true,
            // A published private key proves nothing.
            entry["d"] == nil, let type = entry["kty"]?.string
        else { return nil }
        let curve = entry["crv"]?.string
        switch (type, curve) {
        case ("RSA", _):
            guard let modulus = entry["n"]?.string, let exponent = entry["e"]?.string else { return nil }
            key = .rsa(nil, identifier: Self.identifier, modulus: modulus, exponent: exponent)
        case ("EC", .some(let curve)):
            guard let x = entry["x"]?.string, let y = entry["y"]?.string, let known = ECDSACurve(rawValue: curve) else {
                return nil
            }
            key = .ecdsa(nil, identifier: Self.identifier, x: x, y: y, curve: known)
        case ("OKP", .some(let curve)):
            guard let x = entry["x"]?.string, let known = EdDSACurve(rawValue: curve) else { return nil }
            key = .octetKeyPair(nil, identifier: Self.identifier, x: x, y: nil, curve: known)
        default: return nil
        }
        self.type = type
        self.curve = curve
        name = entry["kid"]?.string
        algorithm = entry["alg"]?.string
    }

    /// The collection of JWTKit wants a name; the token's is compared by `ProviderKeys`.
    private static var identifier: JWKIdentifier { JWKIdentifier(string: "the only one") }

    func suits(_ algorithm: SignatureAlgorithm) -> Bool {
        let needed = algorithm.keyType
        return type == needed.type && (needed.curve == nil || curve == needed.curve)
            && (self.algorithm == nil || self.algorithm == algorithm.rawValue)
    }

    func signed(_ token: String) async -> Bool {
        do {
            // A collection of this one key: there is no other to fall back to.
            let collection = try await JWTKeyCollection().add(jwk: key)
            _ = try await collection.verify(token, as: Anything.self)
            return true
        } catch {
            return false
        }
    }

    /// The claims are judged by `IdentityToken`, in bytes that were scanned first.
    private struct Anything: JWTPayload {
        func verify(using algorithm: some JWTAlgorithm) {}
    }
}
