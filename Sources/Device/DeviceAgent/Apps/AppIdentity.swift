/// What an extension is to its app.
package struct ExtensionRole: Codable, Hashable, Sendable {
    /// The app that contains it.
    package let app: String
    /// Whether it is given nothing unless it was granted full access.
    package let isRestricted: Bool

    package init(app: String, isRestricted: Bool) {
        self.app = app
        self.isRestricted = isRestricted
    }
}

/// One extension of one app: two apps may each have one of the same identifier.
package struct ExtensionName: Codable, Hashable, Sendable {
    package let app: String
    package let identifier: String

    package init(app: String, identifier: String) {
        self.app = app
        self.identifier = identifier
    }
}

/// As what something asks: an app, or an extension of one, and whose signature it bears.
struct AppIdentity: Hashable, Sendable {
    let identifier: String
    let role: ExtensionRole?
    /// The team that signed it, if one did.
    let team: String?

    init(_ identifier: String, role: ExtensionRole? = nil, signedBy team: String?) {
        self.identifier = identifier
        self.role = role
        self.team = team
    }

    /// The app that it is, or is part of.
    var app: String { role?.app ?? identifier }

    var extensionName: ExtensionName? { role.map { ExtensionName(app: $0.app, identifier: identifier) } }
}
