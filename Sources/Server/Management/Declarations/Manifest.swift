package import Foundation

/// The declarations of all devices whose effective assignments and values are alike, encoded once.
package struct Manifest: Sendable, Equatable {
    package let declarationsToken: String
    /// When it last changed, in whole seconds.
    package let changed: Date
    /// The answer to `tokens`.
    package let tokensDocument: Data
    /// The answer to `declaration-items`.
    package let itemsDocument: Data
    /// The answers to `declaration/<kind>/<identifier>`, by kind and identifier.
    package let declarations: [String: Data]
    /// The assets it refers to, by lowercase hexadecimal SHA-256.
    package let assets: [String: ManifestAsset]
    /// Those of the assets that were made for a device's values; all others lie in the store.
    package let files: [String: Data]
    /// What the device is not given.
    package let withheld: [Withheld]
    /// The settings that it is not given.
    package let withheldSettings: [WithheldSetting]
    /// The bundle identifiers of the apps it declares, by kind and identifier of their declarations.
    package let apps: [String: String]

    package init(
        declarationsToken: String, changed: Date, tokensDocument: Data, itemsDocument: Data,
        declarations: [String: Data], assets: [String: ManifestAsset], files: [String: Data] = [:],
        withheld: [Withheld] = [], withheldSettings: [WithheldSetting] = [], apps: [String: String] = [:]
    ) {
        self.declarationsToken = declarationsToken
        self.changed = changed
        self.tokensDocument = tokensDocument
        self.itemsDocument = itemsDocument
        self.declarations = declarations
        self.assets = assets
        self.files = files
        self.withheld = withheld
        self.withheldSettings = withheldSettings
        self.apps = apps
    }

    /// The apps of which the device is not given something.
    package var withheldApps: Set<String> { Set(withheld.map(\.app)) }

    /// The items that a device with this manifest may still ask for.
    package var snapshot: ManifestSnapshot {
        ManifestSnapshot(declarationsToken: declarationsToken, declarations: declarations, assets: assets)
    }
}

/// The part of a device's manifest that the server needs each time the device connects.
struct ManifestBrief: Sendable {
    let token: String
    /// The apps of which the device is not given something.
    let withheldApps: Set<String>

    init(_ manifest: Manifest) {
        token = manifest.declarationsToken
        withheldApps = manifest.withheldApps
    }
}

/// A file that a manifest refers to.
package struct ManifestAsset: Sendable, Equatable, Codable {
    package let mediaType: String
    package let size: Int

    package init(mediaType: String, size: Int) {
        self.mediaType = mediaType
        self.size = size
    }
}

/// What is kept of a manifest for the devices that were told of it.
package struct ManifestSnapshot: Sendable, Equatable, Codable {
    package let declarationsToken: String
    package let declarations: [String: Data]
    package let assets: [String: ManifestAsset]

    package init(declarationsToken: String, declarations: [String: Data], assets: [String: ManifestAsset]) {
        self.declarationsToken = declarationsToken
        self.declarations = declarations
        self.assets = assets
    }
}

/// An asset's bytes with the media type under which they were declared.
package struct AssetDocument: Sendable, Equatable {
    package let bytes: Data
    package let mediaType: String

    package init(bytes: Data, mediaType: String) {
        self.bytes = bytes
        self.mediaType = mediaType
    }
}
