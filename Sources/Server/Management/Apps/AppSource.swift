import Foundation

/// Where devices of one platform get an app, and how.
///
/// An app has one for each platform and origin. A device gets the first, in the order of `Origin`, whose minimum
/// versions it meets, and no other: a declaration names one source.
package struct AppSource: Sendable, Equatable {
    /// Where the source comes from, the preferred origin first.
    package enum Origin: String, Sendable, CaseIterable {
        /// A package that this server hosts.
        case package
        /// An enterprise manifest somewhere else.
        case manifest
        case appStore = "app-store"
        /// The app is on the device already, or comes there by other ways; it is taken over.
        case installed
    }

    package enum Location: Sendable, Equatable {
        /// The digest of a hosted package, in lowercase hexadecimal.
        case package(sha256: String)
        case manifest(url: String)
        case appStore(id: String, license: License)
        /// The composed identifier; nothing for the app's own.
        case installed(composed: String?)
    }

    /// The kind of license that an app of the App Store uses.
    package enum License: String, Sendable, CaseIterable {
        case device
        case user

        /// The protocol's word.
        var word: String { self == .device ? "Device" : "User" }
    }

    package enum Install: String, Sendable, CaseIterable {
        case required
        case optional

        var word: String { self == .required ? "Required" : "Optional" }
    }

    /// Whether devices look for updates by themselves; nothing leaves it to them.
    package enum Updates: String, Sendable, CaseIterable {
        case always
        case never
        case storeSettings = "store-settings"

        var word: String {
            switch self {
            case .always: "AlwaysOn"
            case .never: "AlwaysOff"
            case .storeSettings: "StoreSettings"
            }
        }
    }

    package let platform: DevicePlatform
    package let location: Location
    package let install: Install
    package let updates: Updates?
    package let minimumOS: SystemVersion?
    /// The oldest of Martlet's agents that may get it.
    package let minimumAgent: SystemVersion?

    package init(
        platform: DevicePlatform, location: Location, install: Install = .required, updates: Updates? = nil,
        minimumOS: SystemVersion? = nil, minimumAgent: SystemVersion? = nil
    ) {
        self.platform = platform
        self.location = location
        self.install = install
        self.updates = updates
        self.minimumOS = minimumOS
        self.minimumAgent = minimumAgent
    }

    package var origin: Origin {
        switch location {
        case .package: .package
        case .manifest: .manifest
        case .appStore: .appStore
        case .installed: .installed
        }
    }

    /// The first rule that the source breaks as one of this app, if it breaks one.
    package func refusal(in app: String) -> AdminRefusal? {
        guard Self.platforms[origin]?.contains(platform) == true else {
            let names = (Self.platforms[origin] ?? []).map(\.name).joined(separator: ", ")
            return .invalid(rule: "Apps come by this origin on \(names) only.")
        }
        if minimumAgent != nil, platform != .linux {
            return .invalid(rule: "Only devices with Linux have an agent of Martlet's.")
        }
        if updates == .storeSettings, origin != .appStore {
            return .invalid(rule: "Only apps of the App Store follow its settings.")
        }
        switch location {
        case .package(let sha256):
            guard HostedPackage.isDigest(sha256) else {
                return .invalid(rule: "A package is named by 64 lowercase hexadecimal digits.")
            }
        case .manifest(let url):
            guard Self.isManifestURL(url) else {
                return .invalid(
                    rule: "A manifest's URL begins with https, has no user, no password and no fragment, and at most "
                        + "2048 bytes.")
            }
        case .appStore(let id, _):
            guard (1...20).contains(id.utf8.count), id.utf8.allSatisfy({ (0x30...0x39).contains($0) }) else {
                return .invalid(rule: "An app of the App Store is named by its number.")
            }
        case .installed(let composed?):
            guard Self.isComposed(composed, of: app) else {
                return .invalid(
                    rule: "A composed identifier is the app's bundle identifier, and a team in parentheses or a "
                        + "requirement in braces, at most 1024 bytes.")
            }
        case .installed(nil): break
        }
        return nil
    }

    /// Where the protocol has which origin.
    private static let platforms: [Origin: [DevicePlatform]] = [
        .package: [.linux], .manifest: [.linux, .iOS, .visionOS], .appStore: [.macOS, .iOS, .visionOS],
        .installed: [.linux, .macOS],
    ]

    private static func isManifestURL(_ text: String) -> Bool {
        guard text.utf8.count <= 2_048, text.utf8.allSatisfy({ (0x21...0x7E).contains($0) }),
            let parts = URLComponents(string: text), parts.scheme?.lowercased() == "https",
            parts.host?.isEmpty == false
        else { return false }
        return parts.user == nil && parts.password == nil && parts.fragment == nil
    }

    private static func isComposed(_ text: String, of app: String) -> Bool {
        guard text.utf8.count <= 1_024, text.unicodeScalars.allSatisfy({ $0.value >= 0x20 && $0.value != 0x7F }),
            text.hasPrefix(app)
        else { return false }
        let rest = text.dropFirst(app.count)
        return rest.isEmpty || (rest.hasPrefix(" (") && rest.hasSuffix(")"))
            || (rest.hasPrefix(" {") && rest.hasSuffix("}"))
    }
}
