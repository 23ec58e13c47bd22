import Foundation

/// How the client shows its secret at the token endpoint (OpenID Connect Core 9).
enum ClientAuthentication: String, Sendable {
    case basic = "client_secret_basic"
    case post = "client_secret_post"
    /// Without a secret, by PKCE alone.
    case withoutSecret = "none"

    /// Those that are tried in turn, as long as the provider says that it does not know the client.
    ///
    /// A provider announces what it can; which of these a client was registered with only its answer says. One that
    /// announces nothing takes `client_secret_basic` (Discovery 3), but not each does.
    ///
    /// Where there is a secret and `announced`, the provider's `token_endpoint_auth_methods_supported`, has no way to show
    /// it, the metadata is refused.
    static func choices(
        announced: [String]?, hasSecret: Bool
    ) throws(OpenIDRefusal) -> [ClientAuthentication] {
        // Public clients are often not announced: whether this is one is between the provider and the operator.
        guard hasSecret else { return [.withoutSecret] }
        let both: [ClientAuthentication] = [.basic, .post]
        guard let announced else { return both }
        let known = both.filter { announced.contains($0.rawValue) }
        guard !known.isEmpty else {
            throw OpenIDRefusal.metadata.because(
                "its “token_endpoint_auth_methods_supported” has neither client_secret_basic nor client_secret_post; "
                    + "have it take one of them from this client")
        }
        return known
    }

    /// What a request to the token endpoint has beside what it is for.
    func parts(client: String, secret: String?) -> (authorization: String?, form: [(String, String)]) {
        switch (self, secret) {
        case (.basic, .some(let secret)):
            // RFC 6749 §2.3.1: each part is encoded before the two are joined.
            let pair = "\(FormText.encode(client)):\(FormText.encode(secret))"
            return ("Basic \(Data(pair.utf8).base64EncodedString())", [])
        case (.post, .some(let secret)): return (nil, [("client_id", client), ("client_secret", secret)])
        default: return (nil, [("client_id", client)])
        }
    }
}
