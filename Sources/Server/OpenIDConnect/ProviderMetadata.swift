import Foundation
import InputBounds

/// Where a provider does what, as its discovery document says.
struct ProviderMetadata: Sendable, Equatable {
    let authorization: URL
    let token: URL
    let keys: URL

    /// Reads the document of an issuer: it names that very issuer, and leads nowhere but to `https`.
    init(parsing document: JSONValue, issuer: String) throws(OpenIDRefusal) {
        guard document["issuer"]?.string == issuer else { throw .metadata }
        if let methods = document["code_challenge_methods_supported"]?.array {
            guard methods.contains(.string("S256")) else { throw .metadata }
        }
        authorization = try Self.url(document["authorization_endpoint"])
        token = try Self.url(document["token_endpoint"])
        keys = try Self.url(document["jwks_uri"])
    }

    /// Where the discovery document of an issuer is.
    static func address(of issuer: String) -> String {
        (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer) + "/.well-known/openid-configuration"
    }

    private static func url(_ value: JSONValue?) throws(OpenIDRefusal) -> URL {
        guard let text = value?.string, text.utf8.count <= 2_048, let parts = URLComponents(string: text),
            parts.scheme == "https", parts.host?.isEmpty == false, parts.user == nil, parts.fragment == nil,
            let url = parts.url
        else { throw .metadata }
        return url
    }
}
