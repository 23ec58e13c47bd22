package import Foundation
import InputBounds

/// An executable of an app that runs for itself, with an identifier of its own.
package struct AppExtension: Hashable, Sendable {
    package let identifier: String
    /// The extension point, such as `com.apple.networkextension.packet-tunnel`.
    package let kind: String
    package let executable: PackagePath
    /// Whether it gets nothing unless it was granted full access.
    ///
    /// Keyboards are so whatever their developer says, since people type everything into them.
    package let isRestricted: Bool

    static let key = "MartletExtensions"
    private static let most = 32
    private static let restrictedKinds: Set = ["com.apple.keyboard-service"]

    /// Reads the extensions in an app's `Info.plist`; none, if that cannot be read or breaks a rule about them.
    package static func all(in propertyList: Data, of app: String) -> [AppExtension] {
        let limits = InputLimits(bytes: PackageLimits.information, depth: 16, objects: 10_000)
        guard let root = try? PropertyListValue(parsing: propertyList, limits: limits) else { return [] }
        return (try? list(root[key], of: app)) ?? []
    }

    static func list(_ value: PropertyListValue?, of app: String) throws(PackageRefusal) -> [AppExtension] {
        guard let value else { return [] }
        guard let items = value.array, items.count <= most else { throw PackageRefusal(.appExtension) }
        var seen: Set<String> = []
        var extensions: [AppExtension] = []
        for item in items {
            let found = try AppExtension(item, of: app)
            guard seen.insert(found.identifier.lowercased()).inserted else { throw PackageRefusal(.appExtension) }
            extensions.append(found)
        }
        return extensions
    }

    private init(_ value: PropertyListValue, of app: String) throws(PackageRefusal) {
        guard value.dictionary != nil,
            let identifier = try AppInformation.text("CFBundleIdentifier", value),
            AppInformation.isIdentifier(identifier), identifier.hasPrefix(app + "."),
            let kind = try AppInformation.text("NSExtensionPointIdentifier", value), AppInformation.isIdentifier(kind),
            let executable = try AppInformation.text("CFBundleExecutable", value),
            let path = try? PackagePath(executable)
        else { throw PackageRefusal(.appExtension) }
        self.identifier = identifier
        self.kind = kind
        self.executable = path
        if let restricted = value["MartletRestricted"] {
            guard let flag = restricted.bool else { throw PackageRefusal(.appExtension) }
            isRestricted = flag || Self.restrictedKinds.contains(kind)
        } else {
            isRestricted = Self.restrictedKinds.contains(kind)
        }
    }
}
