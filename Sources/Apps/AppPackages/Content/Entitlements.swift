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
}
