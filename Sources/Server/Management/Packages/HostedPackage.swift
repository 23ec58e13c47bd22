package import Foundation

/// A package of an app that devices download from this server.
///
/// It is named by the SHA-256 of its file: what has this name never changes, and who knows the name may have it.
package struct HostedPackage: Sendable, Equatable {
    /// In lowercase hexadecimal.
    package let sha256: String
    package let app: String
    package let size: Int
    package let title: String
    package let version: String
    package let shortVersion: String
    /// The team that signed it.
    package let team: String
    package let minimumOS: SystemVersion?
    package let minimumAgent: SystemVersion?
    package let author: String
    package let uploaded: Date
    /// Since when no source names it; nothing while one does.
    package let unusedSince: Date?

    package init(
        sha256: String, app: String, size: Int, title: String, version: String, shortVersion: String, team: String,
        minimumOS: SystemVersion?, minimumAgent: SystemVersion?, author: String, uploaded: Date,
        unusedSince: Date? = nil
    ) {
        self.sha256 = sha256
        self.app = app
        self.size = size
        self.title = title
        self.version = version
        self.shortVersion = shortVersion
        self.team = team
        self.minimumOS = minimumOS
        self.minimumAgent = minimumAgent
        self.author = author
        self.uploaded = uploaded
        self.unusedSince = unusedSince
    }

    /// Whether a text can be the name of a package.
    package static func isDigest(_ text: String) -> Bool {
        text.utf8.count == 64
            && text.utf8.allSatisfy { (0x30...0x39).contains($0) || (0x61...0x66).contains($0) }
    }
}
