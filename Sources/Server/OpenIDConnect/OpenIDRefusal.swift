/// Why a sign-in by the provider came to nothing.
///
/// `detail` says which part was missing or unsuitable, what was found and what to do. It is made of our own words, numbers
/// and settings: texts that the provider or the browser sent are never repeated.
package struct OpenIDRefusal: Error, Sendable, Equatable {
    package enum Kind: Sendable, Equatable, CaseIterable {
        case unreachable, metadata, denied, state, code, algorithm, signature, issuer, audience, expired, nonce
        case malformed, userInfo
    }

    package let kind: Kind
    package let detail: String?

    private init(_ kind: Kind, _ detail: String? = nil) {
        self.kind = kind
        self.detail = detail
    }

    /// No answer in time, one that is none, or one that is too large.
    package static let unreachable = OpenIDRefusal(.unreachable)
    /// Its metadata is another issuer's, leads elsewhere than to `https`, or offers nothing that this server can do.
    package static let metadata = OpenIDRefusal(.metadata)
    /// It did not sign the person in.
    package static let denied = OpenIDRefusal(.denied)
    /// The state is none that was given out, was used already, or belongs to another browser.
    package static let state = OpenIDRefusal(.state)
    /// It did not take the code.
    package static let code = OpenIDRefusal(.code)
    /// The token is not signed, or by an algorithm that is not taken.
    package static let algorithm = OpenIDRefusal(.algorithm)
    /// The signature is none of its keys'.
    package static let signature = OpenIDRefusal(.signature)
    package static let issuer = OpenIDRefusal(.issuer)
    package static let audience = OpenIDRefusal(.audience)
    package static let expired = OpenIDRefusal(.expired)
    package static let nonce = OpenIDRefusal(.nonce)
    /// The token cannot be read.
    package static let malformed = OpenIDRefusal(.malformed)
    /// The user info endpoint did not say what the identity token lacks.
    package static let userInfo = OpenIDRefusal(.userInfo)

    /// The same refusal with what was found and what to do.
    package func because(_ detail: String) -> OpenIDRefusal { OpenIDRefusal(kind, detail) }

    /// The sentence for the person and the log.
    package var rule: String { detail.map { "\(sentence): \($0)" } ?? sentence }

    private var sentence: String {
        switch kind {
        case .unreachable: "the provider does not answer"
        case .metadata: "the provider's metadata is unsuitable"
        case .denied: "the provider did not sign the person in"
        case .state: "the sign-in was not begun here, or is over"
        case .code: "the provider did not take the code"
        case .algorithm: "the identity token is not signed by an algorithm that is taken"
        case .signature: "the identity token is not signed by the provider"
        case .issuer: "the identity token is another issuer's"
        case .audience: "the identity token is for another client"
        case .expired: "the identity token has ended, or is from another time"
        case .nonce: "the identity token is for another sign-in"
        case .malformed: "the identity token cannot be read"
        case .userInfo: "the provider's user info endpoint did not say what the identity token lacks"
        }
    }
}

extension OpenIDRefusal {
    /// What follows from the error that a provider sends people back with (RFC 6749 §4.1.2.1, OpenID Connect Core 3.1.2.6).
    package static func sentBack(with error: String) -> OpenIDRefusal {
        known(error, denials).map { denied.because("\(error), \($0)") } ?? denied
    }

    /// What follows from the error of the token endpoint (RFC 6749 §5.2).
    static func untaken(error: String?, status: UInt, hasSecret: Bool) -> OpenIDRefusal {
        if error == "invalid_client", !hasSecret {
            return code.because("invalid_client, the client has to show a secret: set oidcSecretFile")
        }
        if let error, let remedy = known(error, refusedCodes) { return code.because("\(error), \(remedy)") }
        return code.because("the token endpoint answered with status \(status)")
    }

    private static func known(_ error: String, _ errors: [(code: String, remedy: String)]) -> String? {
        errors.first { $0.code.utf8.elementsEqual(error.utf8) }?.remedy
    }

    private static let denials: [(code: String, remedy: String)] = [
        ("access_denied", "the person or the provider's policy said no"),
        ("login_required", "sign in at the provider first"),
        ("interaction_required", "sign in at the provider first"),
        ("account_selection_required", "choose an account at the provider first"),
        ("consent_required", "have the provider consent to this client"),
        ("invalid_scope", "set oidcScopes to scopes that the provider knows"),
        ("invalid_request", "compare the client's registration with oidcClient and its redirect URI"),
        ("unauthorized_client", "allow the client the authorization code flow at the provider"),
        ("unsupported_response_type", "allow the client the authorization code flow at the provider"),
        ("server_error", "try again later"), ("temporarily_unavailable", "try again later"),
    ]

    private static let refusedCodes: [(code: String, remedy: String)] = [
        ("invalid_client", "compare oidcClient and the file oidcSecretFile with the client's registration"),
        ("invalid_grant", "the code is over, or the redirect URI is not the registered one; try again"),
        ("unauthorized_client", "allow the client the authorization code flow at the provider"),
        ("unsupported_grant_type", "allow the client the authorization code flow at the provider"),
        ("invalid_request", "compare the client's registration with oidcClient and its redirect URI"),
        ("invalid_scope", "set oidcScopes to scopes that the provider knows"),
    ]
}
