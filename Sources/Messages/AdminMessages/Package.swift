package import Foundation

/// A package of an app that devices download from the server. `GET /apps/{app}/packages`
package struct Package: Codable, Hashable, Sendable {
    /// Of the file, in lowercase hexadecimal: the package's name.
    package var sha256: String
    package var app: String
    package var size: Int
    package var title: String
    package var version: String
    package var shortVersion: String
    /// Who signed it.
    package var team: String
    package var minimumOSVersion: String?
    package var minimumAgentVersion: String?
    package var author: String
    package var uploaded: Date
    /// Since when no source names it; nothing while one does.
    package var unusedSince: Date?
    package var manifestURL: String
    /// What became of the specification in it; said when the package is taken.
    package var specification: PackagedSpecification?

    package init(
        sha256: String, app: String, size: Int, title: String, version: String, shortVersion: String, team: String,
        minimumOSVersion: String? = nil, minimumAgentVersion: String? = nil, author: String, uploaded: Date,
        unusedSince: Date? = nil, manifestURL: String,
        specification: PackagedSpecification? = nil
    ) {
        self.sha256 = sha256
        self.app = app
        self.size = size
        self.title = title
        self.version = version
        self.shortVersion = shortVersion
        self.team = team
        self.minimumOSVersion = minimumOSVersion
        self.minimumAgentVersion = minimumAgentVersion
        self.author = author
        self.uploaded = uploaded
        self.unusedSince = unusedSince
        self.manifestURL = manifestURL
        self.specification = specification
    }
}

/// What became of the specification in a package.
package struct PackagedSpecification: Codable, Hashable, Sendable {
    /// The version of the app that it is for.
    package var version: String
    package var taken: Bool
    /// Why not.
    package var note: String?
    /// Configurations that the version refuses.
    package var warnings: [String]

    package init(version: String, taken: Bool, note: String? = nil, warnings: [String] = []) {
        self.version = version
        self.taken = taken
        self.note = note
        self.warnings = warnings
    }
}

/// Has an upload that is whole verified and hosted. `PUT /apps/{app}/packages/{sha256}`
package struct PackageRequest: Codable, Hashable, Sendable {
    /// Devices with Linux get the app by it from now on; true if left out.
    package var offer: Bool?

    package init(offer: Bool? = nil) { self.offer = offer }
}

/// How far the upload of a package is. `GET /apps/{app}/packages/{sha256}/upload`
package struct PackageUpload: Codable, Hashable, Sendable {
    /// Where it goes on.
    package var received: Int
    /// It is verified and kept; there is nothing to upload.
    package var hosted: Bool

    package init(received: Int, hosted: Bool) {
        self.received = received
        self.hosted = hosted
    }
}
