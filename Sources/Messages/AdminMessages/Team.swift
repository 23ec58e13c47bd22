package import Foundation

/// A certificate by which the fleet trusts packages. `GET /teams`
package struct Team: Codable, Hashable, Sendable {
    /// SHA-256, in lowercase hexadecimal.
    package var fingerprint: String
    package var name: String?
    /// The team that it is of, or vouches for; an authority without one vouches for every team.
    package var team: String?
    package var authority: Bool
    package var expires: Date
    package var author: String
    package var added: Date
    /// The certificate itself, DER in Base64.
    package var certificate: String

    package init(
        fingerprint: String, name: String? = nil, team: String? = nil, authority: Bool, expires: Date, author: String,
        added: Date, certificate: String
    ) {
        self.fingerprint = fingerprint
        self.name = name
        self.team = team
        self.authority = authority
        self.expires = expires
        self.author = author
        self.added = added
        self.certificate = certificate
    }
}

/// Has the fleet trust a certificate. `POST /teams`
package struct TeamRequest: Codable, Hashable, Sendable {
    /// DER in Base64.
    package var certificate: String

    package init(certificate: String) { self.certificate = certificate }
}
