package import DeviceMessages
import Foundation

/// A manifest as it was found for one declaration: which app that means.
package struct KnownManifest: Codable, Equatable, Sendable {
    package let serverToken: String
    package let bundleIdentifier: String
    package let version: String?
    package let title: String

    package init(_ manifest: AppManifest, serverToken: String) {
        self.serverToken = serverToken
        bundleIdentifier = manifest.bundleIdentifier
        version = manifest.bundleVersion
        title = manifest.title
    }
}

/// What became of a manifest that a declaration names.
package enum ManifestResult: Equatable, Sendable {
    case here(KnownManifest)
    case refused(AssetRefusal)
}

/// The manifest by which an app is to be installed, and how far the server goes in that.
package struct ManifestSource: Codable, Equatable, Sendable {
    /// Whether new versions are looked for without the server's saying so.
    package enum Updates: String, Codable, Sendable {
        case always = "AlwaysOn"
        case never = "AlwaysOff"
        case asUsual = "StoreSettings"
    }

    package let url: String
    package let serverToken: String
    package let version: String?
    package let title: String
    package let updates: Updates

    package init(url: String, known: KnownManifest, updates: Updates) {
        self.url = url
        self.updates = updates
        (serverToken, version, title) = (known.serverToken, known.version, known.title)
    }
}

/// Compares versions as people count them: 1.10 is newer than 1.9.
package enum BundleVersion {
    package static func isNewer(_ one: String, than other: String) -> Bool {
        one.compare(other, options: .numeric) == .orderedDescending
    }
}
