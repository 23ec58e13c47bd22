package import Foundation

/// Asks for a session. `POST /session`
package struct SessionRequest: Codable, Hashable, Sendable {
    package var name: String
    package var password: String

    package init(name: String, password: String) {
        self.name = name
        self.password = password
    }
}

/// A session: the bearer token is shown only once.
package struct SessionAnswer: Codable, Hashable, Sendable {
    package var token: String
    package var expires: Date
    /// Only `PUT /session/password` is answered until the one-time password was changed.
    package var mustChangePassword: Bool

    package init(token: String, expires: Date, mustChangePassword: Bool) {
        self.token = token
        self.expires = expires
        self.mustChangePassword = mustChangePassword
    }
}

/// Asks for the session of a sign-in in a browser of this machine. `POST /sign-in/oidc/session`
package struct SignInGrantRequest: Codable, Hashable, Sendable {
    /// What the browser brought.
    package var grant: String
    /// What only the program knows that began it.
    package var verifier: String

    package init(grant: String, verifier: String) {
        self.grant = grant
        self.verifier = verifier
    }
}

/// Replaces the administrator's password. `PUT /session/password`
package struct PasswordChange: Codable, Hashable, Sendable {
    package var old: String
    package var new: String

    package init(old: String, new: String) {
        self.old = old
        self.new = new
    }
}
