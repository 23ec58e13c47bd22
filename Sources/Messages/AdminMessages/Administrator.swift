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

/// What an operation of the API asks of who calls it.
package struct AdministratorPermission: Word {
    /// It concerns their own session.
    package static let own = AdministratorPermission(rawValue: "own")
    /// To see devices, groups, apps, and what is assigned to whom.
    package static let look = AdministratorPermission(rawValue: "look")
    /// To see with what an app is configured.
    package static let lookInside = AdministratorPermission(rawValue: "lookInside")
    /// To have devices and people come, and to help those that are there.
    package static let help = AdministratorPermission(rawValue: "help")
    /// To change what one app is configured with and where devices get it.
    package static let configure = AdministratorPermission(rawValue: "configure")
    /// To give one app to one group, or to take it away.
    package static let assign = AdministratorPermission(rawValue: "assign")
    /// To see who did what.
    package static let audit = AdministratorPermission(rawValue: "audit")
    /// What reaches many, what is secret, what cannot be undone.
    package static let manage = AdministratorPermission(rawValue: "manage")
    /// To say who may do what.
    package static let administer = AdministratorPermission(rawValue: "administer")

    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }
}

/// An administrator and the administrator's rights. `GET /administrators/{administrator}`
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

/// A password that was made for an administrator: it is shown only once. `POST /administrators/{administrator}/password`
package struct AdministratorPassword: Codable, Hashable, Sendable {
    package var administrator: Administrator
    package var oneTimePassword: String
    /// When it ends if nobody uses it.
    package var expires: Date?

    package init(administrator: Administrator, oneTimePassword: String, expires: Date? = nil) {
        self.expires = expires
        self.administrator = administrator
        self.oneTimePassword = oneTimePassword
    }
}

/// The present session: its administrator and its end. `GET /session`
package struct SessionDetail: Codable, Hashable, Sendable {
    package var name: String
    package var role: AdministratorRole
    package var apps: [String]?
    package var groups: [String]?
    /// What they may do; for an owner of apps, with the apps and the groups that are named.
    package var permissions: [AdministratorPermission]
    package var expires: Date

    package init(
        name: String, role: AdministratorRole, apps: [String]? = nil, groups: [String]? = nil,
        permissions: [AdministratorPermission], expires: Date
    ) {
        self.name = name
        self.role = role
        self.apps = apps
        self.groups = groups
        self.permissions = permissions
        self.expires = expires
    }
}
