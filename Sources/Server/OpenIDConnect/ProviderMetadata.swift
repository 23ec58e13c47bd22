import Foundation
import InputBounds

/// Where a provider does what, as its discovery document says.
struct ProviderMetadata: Sendable, Equatable {
    /// As the provider writes it, which is how its tokens have it (Discovery 4.3).
    let issuer: String
    let authorization: URL
    let token: URL
    let keys: URL
    /// Where claims are that an identity token lacks; nothing where there is none that is suitable.
    let userInfo: URL?
    /// How clients show their secret, if it says so.
    let clientAuthentications: [String]?
    /// RFC 9207: whether each of its answers by the browser says whose it is.
    let namesItself: Bool

    /// Reads the document of an issuer: it names that issuer, and leads nowhere but to `https`.
    init(parsing document: JSONValue, issuer: String) throws(OpenIDRefusal) {
        guard let own = document["issuer"]?.string, OpenIDProvider.isSame(own, issuer) else {
            throw Self.foreign(document["issuer"]?.string)
        }
        self.issuer = own
        if let methods = document["code_challenge_methods_supported"]?.array {
            guard methods.contains(.string("S256")) else {
                throw OpenIDRefusal.metadata.because(
                    "its “code_challenge_methods_supported” lacks S256; allow PKCE with S256 for this client")
            }
        }
        authorization = try Self.url("authorization_endpoint", of: document)
        token = try Self.url("token_endpoint", of: document)
        keys = try Self.url("jwks_uri", of: document)
        userInfo = try? Self.url("userinfo_endpoint", of: document)
        let methods = document["token_endpoint_auth_methods_supported"]?.array?.compactMap(\.string)
        clientAuthentications = methods?.isEmpty == true ? nil : methods
        namesItself = document["authorization_response_iss_parameter_supported"]?.bool == true
    }

    /// Where the discovery document of an issuer is.
    static func address(of issuer: String) -> String {
        (issuer.hasSuffix("/") ? String(issuer.dropLast()) : issuer) + "/.well-known/openid-configuration"
    }

    private static func foreign(_ issuer: String?) -> OpenIDRefusal {
        guard let issuer else { return OpenIDRefusal.metadata.because("its “issuer” is missing") }
        guard !issuer.contains("{") else {
            return OpenIDRefusal.metadata.because(
                "its “issuer” stands for many tenants; set oidcIssuer to the issuer of your own tenant")
        }
        return OpenIDRefusal.metadata.because(
            "its “issuer” is not the one of oidcIssuer; set oidcIssuer to what the provider's metadata says")
    }

    private static func url(_ name: String, of document: JSONValue) throws(OpenIDRefusal) -> URL {
        guard let text = document[name]?.string else {
            throw OpenIDRefusal.metadata.because("its “\(name)” is missing or not a text")
        }
        guard text.utf8.count <= 2_048, let parts = URLComponents(string: text),
            parts.scheme == "https", parts.host?.isEmpty == false, parts.user == nil,
            parts.fragment == nil, let url = parts.url
        else { throw OpenIDRefusal.metadata.because("its “\(name)” is not an https URL without user and fragment") }
        return url
    }
}
