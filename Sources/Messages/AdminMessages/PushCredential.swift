package import Foundation

/// By what Apple devices are woken; never its key. `GET /push-credential`
package struct PushCredential: Codable, Hashable, Sendable {
    package enum Kind: String, Codable, Sendable, CaseIterable {
        /// An MDM push certificate of Apple's.
        case certificate
        /// A key that signs provider tokens; Apple takes none for MDM.
        case token
    }

    package var kind: Kind
    /// What pushes are about; enrollment profiles name it.
    package var topic: String
    /// When the certificate ends.
    package var expires: Date?
    package var author: String
    package var uploaded: Date
    /// Enrollments that are woken by it.
    package var reachable: Int
    /// Enrollments whose token the push service refused for good.
    package var retired: Int

    package init(
        kind: Kind, topic: String, expires: Date? = nil, author: String, uploaded: Date, reachable: Int, retired: Int
    ) {
        self.kind = kind
        self.topic = topic
        self.expires = expires
        self.author = author
        self.uploaded = uploaded
        self.reachable = reachable
        self.retired = retired
    }
}

/// Sets by what Apple devices are woken: a certificate, or a key with `keyID`, `teamID` and `topic`.
/// `PUT /push-credential`
package struct PushCredentialRequest: Codable, Hashable, Sendable {
    /// The MDM push certificate in PEM, and those above it.
    package var certificate: String?
    /// The private key in PEM, without a passphrase.
    package var key: String
    package var keyID: String?
    package var teamID: String?
    package var topic: String?
    /// Take it although its topic is another than that of enrolled devices, which will hear it no more.
    package var replaceTopic: Bool?

    package init(
        certificate: String? = nil, key: String, keyID: String? = nil, teamID: String? = nil, topic: String? = nil,
        replaceTopic: Bool? = nil
    ) {
        self.certificate = certificate
        self.key = key
        self.keyID = keyID
        self.teamID = teamID
        self.topic = topic
        self.replaceTopic = replaceTopic
    }
}
