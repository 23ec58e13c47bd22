import Foundation
import InputBounds

/// What the header of an identity token says of its signature.
struct TokenHeader: Sendable, Equatable {
    /// A token with hundreds of groups stays under it.
    static let largest = 64 * 1_024

    let algorithm: SignatureAlgorithm
    /// The name of its key; a provider with one key need not say it (OpenID Connect Core 10.1).
    let key: String?

    /// Reads the header of a token; one that names what must be understood beside these two members is refused.
    init(of token: String) throws(OpenIDRefusal) {
        guard token.utf8.count <= Self.largest else {
            throw OpenIDRefusal.malformed.because("it is larger than \(Self.largest) bytes; have it name fewer groups")
        }
        let parts = token.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count != 5 else {
            throw OpenIDRefusal.malformed.because("it is encrypted; turn that off for this client at the provider")
        }
        guard parts.count == 3 else {
            throw OpenIDRefusal.malformed.because("it has \(parts.count) parts, not the 3 of a signed token")
        }
        guard let bytes = IdentityToken.bytes(parts[0]),
            let header = try? JSONValue(parsing: bytes, limits: IdentityToken.limits), header.object != nil
        else { throw OpenIDRefusal.malformed.because("its header is not a JSON object") }
        guard header["crit"] == nil else {
            throw OpenIDRefusal.malformed.because("its header has “crit”, which names unknown extensions")
        }
        guard let name = header["alg"]?.string else {
            throw OpenIDRefusal.malformed.because("“alg” of its header is missing or not a text")
        }
        algorithm = try SignatureAlgorithm(named: name)
        let key = header.member("kid")
        guard key == nil || key?.string != nil else {
            throw OpenIDRefusal.malformed.because("“kid” of its header is not a text")
        }
        self.key = key?.string
    }
}

/// The algorithms by which an identity token may be signed: those that need the provider's private key.
enum SignatureAlgorithm: String, Sendable, CaseIterable {
    case rs256 = "RS256"
    case rs384 = "RS384"
    case rs512 = "RS512"
    case ps256 = "PS256"
    case ps384 = "PS384"
    case ps512 = "PS512"
    case es256 = "ES256"
    case es384 = "ES384"
    case es512 = "ES512"
    case edDSA = "EdDSA"

    /// An algorithm by its name in a header (RFC 7518 §3.1), which is compared by the byte.
    init(named name: String) throws(OpenIDRefusal) {
        if let known = Self.allCases.first(where: { $0.rawValue.utf8.elementsEqual(name.utf8) }) {
            self = known
            return
        }
        let remedy = "choose RS256 or ES256 for this client at the provider"
        if name.lowercased() == "none" {
            throw OpenIDRefusal.algorithm.because("“alg” is “none”, so nobody signed it; \(remedy)")
        }
        if ["HS256", "HS384", "HS512"].contains(name) {
            throw OpenIDRefusal.algorithm.because(
                "“alg” is \(name), which is made with the client's secret and not with the provider's key; \(remedy)")
        }
        throw OpenIDRefusal.algorithm.because(
            "“alg” is none of \(Self.allCases.map(\.rawValue).joined(separator: ", ")); \(remedy)")
    }

    /// The type of its keys (`kty`) and their curve (`crv`), where there are several.
    var keyType: (type: String, curve: String?) {
        switch self {
        case .rs256, .rs384, .rs512, .ps256, .ps384, .ps512: ("RSA", nil)
        case .es256: ("EC", "P-256")
        case .es384: ("EC", "P-384")
        case .es512: ("EC", "P-521")
        case .edDSA: ("OKP", "Ed25519")
        }
    }
}
