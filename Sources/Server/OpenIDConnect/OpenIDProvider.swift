import Foundation
package import NIOSSL

/// The organization's sign-in, as the operator names it.
package struct OpenIDProvider: Sendable {
    /// Its identity, exactly as it writes it; where its metadata is follows from it.
    package let issuer: String
    package let client: String
    /// What the client shows at the token endpoint; without it PKCE alone protects the code.
    package let secret: String?
    /// Where it sends people back to.
    package let redirect: String
    package let scopes: [String]
    /// Who vouches for its TLS; without them the system's authorities.
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
}

/// Why a sign-in by the provider came to nothing.
///
/// What the provider or the browser sent is never repeated.
package enum OpenIDRefusal: Error, Sendable, Equatable, CaseIterable {
    /// No answer in time, one that is none, or one that is too large.
    case unreachable
    /// Its metadata is another issuer's, or leads elsewhere than to `https`.
    case metadata
    /// It did not sign the person in.
    case denied
    /// The state is none that was given out, was used already, or belongs to another browser.
    case state
    /// It did not take the code.
    case code
    /// The signature is none of its keys', or by an algorithm that is not taken.
    case signature
    case issuer
    case audience
    case expired
    case nonce
    /// The token cannot be read.
    case malformed

    package var rule: String {
        switch self {
        case .unreachable: "the provider does not answer"
        case .metadata: "the provider's metadata is not its own"
        case .denied: "the provider did not sign the person in"
        case .state: "the sign-in was not begun here, or is over"
        case .code: "the provider did not take the code"
        case .signature: "the identity token is not signed by the provider"
        case .issuer: "the identity token is another issuer's"
        case .audience: "the identity token is for another client"
        case .expired: "the identity token has ended, or is from another time"
        case .nonce: "the identity token is for another sign-in"
        case .malformed: "the identity token cannot be read"
        }
    }
}
