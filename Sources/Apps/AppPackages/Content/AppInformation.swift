package import Foundation
import InputBounds

/// What an app says about itself in the `Info.plist` of its package.
package struct AppInformation: Hashable, Sendable {
    package let bundleIdentifier: String
    package let name: String
    /// The build, `CFBundleVersion`.
    package let version: String
    /// The version that people see, `CFBundleShortVersionString`.
    package let shortVersion: String
    package let executable: PackagePath
    /// The oldest system it runs on, as the system's `VERSION_ID` counts.
    package let minimumOSVersion: String?
    package let minimumAgentVersion: String?
    package let desktopEntry: PackagePath?
    package let extensions: [AppExtension]

    private static let limits = InputLimits(bytes: PackageLimits.information, depth: 16, objects: 10_000)

    /// Reads an `Info.plist`, XML or binary; keys that mean nothing here are for others to read.
    package init(parsing propertyList: Data) throws(PackageRefusal) {
        guard let root = try? PropertyListValue(parsing: propertyList, limits: Self.limits), root.dictionary != nil
        else {
            throw PackageRefusal(.information)
        }
        let identifier = try Self.text("CFBundleIdentifier", root)
        guard let identifier, Self.isIdentifier(identifier) else { throw PackageRefusal(.bundleIdentifier) }
        bundleIdentifier = identifier

        guard let executable = try Self.text("CFBundleExecutable", root), !executable.contains("/"),
            let path = try? PackagePath(executable)
        else { throw PackageRefusal(.executable) }
        self.executable = path

        guard let version = try Self.text("CFBundleVersion", root), Self.isVersion(version) else {
            throw PackageRefusal(.version)
        }
        self.version = version
        shortVersion = try Self.text("CFBundleShortVersionString", root) ?? version
        guard Self.isVersion(shortVersion) else { throw PackageRefusal(.version) }

        name = try Self.text("CFBundleName", root) ?? executable
        guard !name.isEmpty, name.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
            throw PackageRefusal(.information)
        }
        minimumOSVersion = try Self.minimum("MinimumOSVersion", root)
        minimumAgentVersion = try Self.minimum("MartletMinimumAgentVersion", root)
        if let entry = try Self.text("MartletDesktopEntry", root) {
            guard entry.hasSuffix(".desktop"), let path = try? PackagePath(entry) else {
                throw PackageRefusal(.desktopEntry)
            }
            desktopEntry = path
        } else {
            desktopEntry = nil
        }
        // What means to ask for isolation or no network, and does not, must not be taken.
        for key in ["MartletIsolated", "MartletOffline"] {
            if let asked = root[key], asked.bool == nil { throw PackageRefusal(.information) }
        }
        extensions = try AppExtension.list(root[AppExtension.key], of: identifier)
    }

    /// Checks that the files which it names are in the package.
    package func check(against list: PackageList) throws(PackageRefusal) {
        let executables = Set(list.entries.filter(\.isExecutable).map(\.path))
        guard executables.contains(executable) else { throw PackageRefusal(.executable) }
        for appExtension in extensions where !executables.contains(appExtension.executable) {
            throw PackageRefusal(.appExtension)
        }
        if let desktopEntry, list.entry(desktopEntry) == nil { throw PackageRefusal(.desktopEntry) }
    }

    /// A text of a few hundred bytes at most; one of another type breaks the form.
    static func text(_ key: String, _ value: PropertyListValue) throws(PackageRefusal) -> String? {
        guard let found = value[key] else { return nil }
        guard let text = found.string, text.utf8.count <= 256 else { throw PackageRefusal(.information) }
        return text
    }

    private static func minimum(_ key: String, _ root: PropertyListValue) throws(PackageRefusal) -> String? {
        guard let text = try text(key, root) else { return nil }
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        guard (1...4).contains(parts.count),
            parts.allSatisfy({ (1...6).contains($0.count) && $0.allSatisfy(isDigit) })
        else { throw PackageRefusal(.minimumVersion) }
        return text
    }

    /// The identifiers that the server takes, too.
    static func isIdentifier(_ text: String) -> Bool {
        guard (1...155).contains(text.utf8.count) else { return false }
        let parts = text.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
        return parts.count >= 2
            && parts.allSatisfy { !$0.isEmpty && $0.allSatisfy { isLetterOrDigit($0) || $0 == UInt8(ascii: "-") } }
    }

    private static func isVersion(_ text: String) -> Bool {
        (1...64).contains(text.utf8.count) && text.utf8.allSatisfy { isLetterOrDigit($0) || ".+-_~".utf8.contains($0) }
    }

    private static func isLetterOrDigit(_ byte: UInt8) -> Bool {
        isDigit(byte) || (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte | 0x20)
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}
