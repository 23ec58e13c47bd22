package import Foundation
package import InputBounds

/// The manifest that a `ManifestURL` names: which app it is, and where its package can be had.
///
/// Apple's form of an enterprise app's manifest, a property list with one item.
package struct AppManifest: Hashable, Sendable {
    /// By what a download is known to be whole and the right one.
    package enum Check: Hashable, Sendable {
        /// The server vouches for nothing; the package's own signature does in any case.
        case none
        /// SHA-256 of the whole file.
        case whole(Data)
        /// SHA-256 of each piece of so many bytes; the last may be shorter.
        case pieces(size: Int, [Data])
    }

    /// What of a manifest is looked at: 16,384 digests, and what surrounds them.
    package static let limits = InputLimits(bytes: 4_194_304, depth: 8, objects: 40_000)
    /// Pieces of a package: 8 GiB in pieces of 1 MiB are half of it.
    package static let mostPieces = 16_384

    package var bundleIdentifier: String
    /// `CFBundleVersion`; without it an update cannot be told from what is there.
    package var bundleVersion: String?
    package var title: String
    /// Where the package is.
    package var url: String
    package var check: Check
    /// The size of the package, where it is told.
    package var size: Int?

    package init(
        bundleIdentifier: String, bundleVersion: String?, title: String, url: String, check: Check, size: Int? = nil
    ) {
        self.bundleIdentifier = bundleIdentifier
        self.bundleVersion = bundleVersion
        self.title = title
        self.url = url
        self.check = check
        self.size = size
    }

    package init(parsing data: Data) throws(InputRefusal) {
        let root = try MessageFields(PropertyListValue(parsing: data, limits: Self.limits))
        let items = try root.array("items")
        guard items.count == 1, let first = items.first else {
            throw InputRefusal("a manifest describes exactly one item")
        }
        let item = try MessageFields(first)
        let metadata = try MessageFields(try item.value("metadata"))
        guard try metadata.string("kind", limit: 64) == "software" else {
            throw InputRefusal("the item of the manifest is no software")
        }
        bundleIdentifier = try metadata.string("bundle-identifier", limit: 155)
        bundleVersion = try metadata.stringIfPresent("bundle-version", limit: 64)
        title = try metadata.string("title", limit: 1_024)
        size = try metadata.intIfPresent("sizeInBytes")
        guard (size ?? 0) >= 0 else { throw InputRefusal("the key sizeInBytes is negative") }

        var packages: [MessageFields] = []
        for asset in try item.array("assets") {
            let asset = try MessageFields(asset)
            if try asset.string("kind", limit: 64) == "software-package" { packages.append(asset) }
        }
        guard packages.count == 1, let package = packages.first else {
            throw InputRefusal("a manifest names exactly one package")
        }
        url = try package.string("url")
        guard url.lowercased().hasPrefix("https://") else { throw InputRefusal("the key url is not an https URL") }
        check = try Self.check(package)
    }

    /// The digest of the whole wins over those of pieces, which need their size and must not be too many.
    private static func check(_ package: MessageFields) throws(InputRefusal) -> Check {
        if let text = try package.stringIfPresent("sha256", limit: 128) {
            return .whole(try digest(text, of: "sha256"))
        }
        let size = try package.intIfPresent("sha256-size")
        let texts = try package.stringsIfPresent("sha256s")
        switch (size, texts) {
        case (nil, nil): return .none
        case (let size?, let texts?):
            guard size > 0, texts.count <= mostPieces else { throw InputRefusal("the key sha256-size does not fit") }
            var digests: [Data] = []
            for text in texts { digests.append(try digest(text, of: "sha256s")) }
            return .pieces(size: size, digests)
        default: throw InputRefusal("the keys sha256-size and sha256s need each other")
        }
    }

    private static func digest(_ text: String, of key: String) throws(InputRefusal) -> Data {
        guard let digest = DataAsset.digest(text) else { throw InputRefusal("the key \(key) is not a digest") }
        return digest
    }

    /// The manifest as an XML property list: equal manifests give equal bytes.
    package func encoded() -> Data {
        var package: [String: PropertyListValue] = ["kind": .string("software-package"), "url": .string(url)]
        switch check {
        case .none: break
        case .whole(let digest): package["sha256"] = .string(DataAsset.hexadecimal(digest))
        case .pieces(let size, let digests):
            package["sha256-size"] = .integer(Int64(size))
            package["sha256s"] = .array(digests.map { .string(DataAsset.hexadecimal($0)) })
        }
        var metadata: [String: PropertyListValue] = [
            "bundle-identifier": .string(bundleIdentifier), "kind": .string("software"), "title": .string(title),
        ]
        if let bundleVersion { metadata["bundle-version"] = .string(bundleVersion) }
        if let size { metadata["sizeInBytes"] = .integer(Int64(size)) }
        let item = PropertyListValue.dictionary([
            "assets": .array([.dictionary(package)]), "metadata": .dictionary(metadata),
        ])
        return PropertyListValue.dictionary(["items": .array([item])]).xml()
    }
}
