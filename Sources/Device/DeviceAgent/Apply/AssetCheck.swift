package import DeviceMessages
package import Foundation
import InputBounds

/// Why the data of an asset cannot be used, in the protocol's three words.
package enum AssetRefusal: Error, Equatable, Sendable {
    case download(String)
    case verification(String)
    case content(String)

    /// Whether asking again may help: a network heals, a wrong hash does not.
    package var mayHeal: Bool { if case .download = self { true } else { false } }

    /// The reason for the server.
    var code: String {
        switch self {
        case .download: "Error.AssetCannotBeDownloaded"
        case .verification: "Error.AssetCannotBeVerified"
        case .content: "Error.AssetCannotBeDeserialized"
        }
    }

    /// The reason for the server if it is a manifest that cannot be used: then the app is not to be had.
    var codeOfManifest: String { if case .download = self { "Error.DownloadFailed" } else { "Error.InvalidAppID" } }

    package var sentence: String {
        switch self {
        case .download(let sentence), .verification(let sentence), .content(let sentence): sentence
        }
    }
}

extension DataAsset {
    /// The most an app configuration may have (S4-BP-01).
    package static let configurationLimit = InputLimits.configuration.bytes

    /// Checks an app's configuration as it was downloaded; throws why it cannot be used.
    package func checkConfiguration(_ data: Data, contentType received: String?) throws(AssetRefusal) {
        try check(
            data, contentType: received, as: "that of a property list", MediaType.configurations,
            what: "an app configuration", limit: Self.configurationLimit)
        do {
            _ = try PropertyListScan.check(data, limits: .configuration)
        } catch {
            throw .content("not a property list that is safe to read: \(error.rule)")
        }
    }

    /// Holds data against what was declared of it.
    func check(
        _ data: Data, contentType received: String?, as type: String, _ allowed: [String], what: String, limit: Int
    ) throws(AssetRefusal) {
        if let contentType {
            guard let received, Self.mediaType(received) == Self.mediaType(contentType) else {
                throw .verification("the media type is not the declared one")
            }
            guard allowed.contains(Self.mediaType(contentType)) else {
                throw .verification("the media type is not \(type)")
            }
        }
        guard data.count <= limit else { throw .verification("\(what) may have at most \(limit) bytes") }
        if let size, size != data.count { throw .verification("the size is not the declared one") }
        if let sha256, size != 0, sha256.hexadecimal != data.digest {
            throw .verification("the SHA-256 is not the declared one")
        }
    }

    private static func mediaType(_ value: String) -> String {
        value.prefix { $0 != ";" }.trimmingCharacters(in: .whitespaces).lowercased()
    }
}
