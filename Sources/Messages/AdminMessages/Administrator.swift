package import Foundation

/// What an administrator is there for.
package struct AdministratorRole: Word {
    package static let reader = AdministratorRole(rawValue: "reader")
    package static let helpDesk = AdministratorRole(rawValue: "help-desk")
    package static let appOwner = AdministratorRole(rawValue: "app-owner")
    package static let auditor = AdministratorRole(rawValue: "auditor")
    package static let administrator = AdministratorRole(rawValue: "administrator")

    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }
}

/// Who may log in, and what they may do. `GET /administrators/{administrator}`
package struct Administrator: Codable, Hashable, Sendable {
    package var name: String
    package var role: AdministratorRole
    /// Of an owner of apps: which ones, by their bundle identifiers.
    package var apps: [String]?
    /// Of an owner of apps: to which groups they may give them.
    package var groups: [String]?
    package var mustChangePassword: Bool
    package var created: Date

    package init(
        name: String, role: AdministratorRole, apps: [String]? = nil, groups: [String]? = nil,
        mustChangePassword: Bool, created: Date
    ) {
        self.name = name
        self.role = role
        self.apps = apps
        self.groups = groups
        self.mustChangePassword = mustChangePassword
        self.created = created
    }
}

/// Adds an administrator. `POST /administrators`
package struct AdministratorRequest: Codable, Hashable, Sendable {
    package var name: String
    package var role: AdministratorRole
    package var apps: [String]?
    package var groups: [String]?

    package init(name: String, role: AdministratorRole, apps: [String]? = nil, groups: [String]? = nil) {
        self.name = name
        self.role = role
        self.apps = apps
        self.groups = groups
    }
}

/// Changes what an administrator may do. `PUT /administrators/{administrator}`
package struct RightsRequest: Codable, Hashable, Sendable {
    package var role: AdministratorRole
    package var apps: [String]?
    package var groups: [String]?

    package init(role: AdministratorRole, apps: [String]? = nil, groups: [String]? = nil) {
        self.role = role
        self.apps = apps
        self.groups = groups
    }
}

/// A password that was made for an administrator: it is shown this once. `POST /administrators/{administrator}/password`
package struct AdministratorPassword: Codable, Hashable, Sendable {
    package var administrator: Administrator
    package var oneTimePassword: String

    package init(administrator: Administrator, oneTimePassword: String) {
        self.administrator = administrator
        self.oneTimePassword = oneTimePassword
    }
}

/// Who is logged in, until when. `GET /session`
package struct SessionDetail: Codable, Hashable, Sendable {
    package var name: String
    package var role: AdministratorRole
    package var apps: [String]?
    package var groups: [String]?
    package var expires: Date

    package init(
        name: String, role: AdministratorRole, apps: [String]? = nil, groups: [String]? = nil, expires: Date
    ) {
        self.name = name
        self.role = role
        self.apps = apps
        self.groups = groups
        self.expires = expires
    }
}
