package import Foundation

/// Asks for an API token. `POST /tokens`
package struct TokenRequest: Codable, Hashable, Sendable {
    package var name: String
    package var validSeconds: Int
    package var role: AdministratorRole
    package var apps: [String]?
    package var groups: [String]?
    /// Whether it may only look.
    package var readOnly: Bool?
    /// Whether it may manage administrators.
    package var administers: Bool?

    package init(
        name: String, validSeconds: Int, role: AdministratorRole, apps: [String]? = nil, groups: [String]? = nil,
        readOnly: Bool? = nil, administers: Bool? = nil
    ) {
        self.name = name
        self.validSeconds = validSeconds
        self.role = role
        self.apps = apps
        self.groups = groups
        self.readOnly = readOnly
        self.administers = administers
    }
}

/// A new API token: its text is shown only once.
package struct TokenAnswer: Codable, Hashable, Sendable {
    package var token: String
    package var summary: TokenSummary

    package init(token: String, summary: TokenSummary) {
        self.token = token
        self.summary = summary
    }
}

/// An API token without its text. `GET /tokens`
package struct TokenSummary: Codable, Hashable, Sendable {
    package var id: String
    package var name: String
    package var administrator: String
    package var role: AdministratorRole
    package var apps: [String]?
    package var groups: [String]?
    package var readOnly: Bool
    package var administers: Bool
    package var created: Date
    package var expires: Date
    package var revoked: Date?
    package var lastUsed: Date?

    package init(
        id: String, name: String, administrator: String, role: AdministratorRole, apps: [String]?, groups: [String]?,
        readOnly: Bool, administers: Bool, created: Date, expires: Date, revoked: Date?, lastUsed: Date?
    ) {
        self.id = id
        self.name = name
        self.administrator = administrator
        self.role = role
        self.apps = apps
        self.groups = groups
        self.readOnly = readOnly
        self.administers = administers
        self.created = created
        self.expires = expires
        self.revoked = revoked
        self.lastUsed = lastUsed
    }
}
