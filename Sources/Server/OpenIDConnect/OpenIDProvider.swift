import Foundation
package import NIOSSL

/// The organization's sign-in, as the operator names it.
package struct OpenIDProvider: Sendable {
    /// Its identity; where its metadata is follows from it, which writes it with or without a slash at the end.
    package let issuer: String
    package let client: String
    /// What the client shows at the token endpoint; without it PKCE alone protects the code.
    package let secret: String?
    /// Where it sends people back to.
    package let redirect: String
    package let scopes: [String]
    /// The authorities that its TLS certificate must come from; without them the system's.
    package let roots: [NIOSSLCertificate]?

    package init(
        issuer: String, client: String, secret: String?, redirect: String,
        scopes: [String] = ["openid", "email", "profile"], roots: [NIOSSLCertificate]? = nil
    ) {
        self.issuer = issuer
        self.client = client
        self.secret = secret
        self.redirect = redirect
        self.scopes = scopes
        self.roots = roots
    }

    /// Whether a text can be an issuer: an `https` URL without query and fragment, in which nobody's name stands.
    package static func isIssuer(_ text: String) -> Bool {
        guard text.utf8.count <= 1_024, let parts = URLComponents(string: text) else { return false }
        return parts.scheme == "https" && parts.host?.isEmpty == false && parts.user == nil && parts.password == nil
            && parts.query == nil && parts.fragment == nil
    }

    /// Whether two texts are one issuer: the same bytes, but for one slash at the end.
    static func isSame(_ one: String, _ other: String) -> Bool {
        func withoutSlash(_ text: String) -> Substring { text.hasSuffix("/") ? text.dropLast() : text[...] }
        return withoutSlash(one).utf8.elementsEqual(withoutSlash(other).utf8)
    }
}
