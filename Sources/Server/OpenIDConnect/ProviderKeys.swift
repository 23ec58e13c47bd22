package import Foundation
import InputBounds
import JWTKit

/// The keys of a provider, by their names.
///
/// The key decides which algorithms it takes; a token only chooses among these, and names its key. So nothing is believed
/// that is not signed, or that is signed with a public key as if it were a secret.
package struct ProviderKeys: Sendable {
    /// A provider has a handful: the present ones, the next and the last.
    static let most = 64
    private static let algorithms: [String: [JWK.Algorithm]] = [
        "RSA": [.rs256, .rs384, .rs512, .ps256, .ps384, .ps512], "EC": [.es256, .es384, .es512],
        "OKP": [.eddsa],
    ]

    private let keys: [String: JWK]

    /// Reads a key set; what is not for signatures, has no name or is of a kind that is not known is left out.
    package init(parsing document: Data) throws(OpenIDRefusal) {
        guard let set = try? JSONValue(parsing: document, limits: IdentityToken.limits),
            let entries = set["keys"]?.array, entries.count <= Self.most
        else { throw .metadata }
        var keys: [String: JWK] = [:]
        for entry in entries {
            guard let name = entry["kid"]?.string, entry["use"]?.string ?? "sig" == "sig",
                let kind = entry["kty"]?.string, Self.algorithms[kind] != nil, entry["d"] == nil,
                let key = try? JSONDecoder().decode(JWK.self, from: entry.encoded())
            else { continue }
            // Two of one name are neither.
            keys[name] = keys[name] == nil ? key : nil
        }
        self.keys = keys
    }

    /// Whether there is a key of the name that a token says.
    func knows(keyOf token: String) -> Bool { Self.header(of: token).flatMap { keys[$0.key] } != nil }

    func verify(_ token: String) async throws(OpenIDRefusal) {
        guard token.utf8.count <= IdentityToken.largest, let header = Self.header(of: token) else { throw .malformed }
        guard let key = keys[header.key], let algorithm = JWK.Algorithm(rawValue: header.algorithm),
            Self.algorithms[key.keyType.rawValue]?.contains(algorithm) == true,
            key.algorithm.map({ $0 == algorithm }) ?? true
        else { throw .signature }
        do {
            // A collection of this one key: there is no other to fall back to.
            let collection = try await JWTKeyCollection().add(jwk: key)
            _ = try await collection.verify(token, as: Anything.self)
        } catch {
            throw .signature
        }
    }

    /// The two members of a header that are used; a header that names what must be understood beside them is refused.
    private static func header(of token: String) -> (key: String, algorithm: String)? {
        let parts = token.prefix(IdentityToken.largest).split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count == 3, let bytes = IdentityToken.bytes(parts[0]),
            let header = try? JSONValue(parsing: bytes, limits: IdentityToken.limits), header["crit"] == nil,
            let key = header["kid"]?.string, let algorithm = header["alg"]?.string
        else { return nil }
        return (key, algorithm)
    }

    /// The claims are judged by `IdentityToken`, in bytes that were scanned first.
    private struct Anything: JWTPayload {
        func verify(using algorithm: some JWTAlgorithm) {}
    }
}
