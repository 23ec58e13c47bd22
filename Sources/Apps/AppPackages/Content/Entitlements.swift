package import Foundation
package import InputBounds

/// What a team says its app may do; signed with the list.
package struct Entitlements: Hashable, Sendable {
    package let values: [String: PropertyListValue]

    private static let limits = InputLimits(bytes: PackageLimits.entitlements, depth: 16, objects: 5_000)

    package init() {
        values = [:]
    }

    /// Reads a property list whose root is a dictionary.
    package init(parsing propertyList: Data) throws(PackageRefusal) {
        guard let values = (try? PropertyListValue(parsing: propertyList, limits: Self.limits))?.dictionary else {
            throw PackageRefusal(.entitlements)
        }
        self.values = values
    }

    /// Refuses what this team cannot say of this app.
    ///
    /// Groups that share a keychain bear the team's name, so two apps that name the same one are of the same team
    /// (S0-AUTH-02); and an app is nobody but itself.
    func check(of bundleIdentifier: String, team: String) throws(PackageRefusal) {
        if let groups = values["keychain-access-groups"] {
            guard case .array(let names) = groups, names.allSatisfy({ $0.string?.hasPrefix(team + ".") == true })
            else { throw PackageRefusal(.entitlementOfOthers) }
        }
        if let identifier = values["application-identifier"], identifier.string != "\(team).\(bundleIdentifier)" {
            throw PackageRefusal(.entitlementOfOthers)
        }
    }
}
