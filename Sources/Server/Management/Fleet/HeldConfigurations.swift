import DeviceMessages
import Foundation
import InputBounds

/// The holder of a configuration: an app, or one of its extensions.
package struct ConfigurationHolder: Sendable, Hashable {
    package let app: String
    /// The bundle identifier of the extension; nothing for the app itself.
    package let `extension`: String?

    package init(app: String, extension name: String? = nil) {
        self.app = app
        self.extension = name
    }
}

/// A configuration that a device says it holds.
package struct HeldConfiguration: Sendable, Hashable {
    package let holder: ConfigurationHolder
    /// SHA-256 of its bytes on the device, in lowercase hexadecimal.
    package let digest: String

    package init(holder: ConfigurationHolder, digest: String) {
        self.holder = holder
        self.digest = digest
    }
}

/// Where a manifest has the configurations of apps and their extensions: which asset each is, under which token, with which bytes.
///
/// A device says of each declaration under which token it has it, and a token depends on bytes alone. So a report shows
/// which bytes the device has, if its present declarations have these bytes.
struct ConfigurationPlaces: Sendable {
    private struct Place {
        let asset: ItemReference
        let held: HeldConfiguration
    }

    private let places: [Place]
    /// Those that the manifest gives a configuration.
    var holders: [ConfigurationHolder] { places.map(\.held.holder) }

    init(of manifest: Manifest) {
        places = manifest.apps.sorted { $0.key < $1.key }.flatMap { name, app in
            guard let document = manifest.declarations[name], let declaration = try? Declaration(parsing: document),
                let configuration = try? AppManagedConfiguration(payload: declaration.payload)
            else { return [Place]() }
            // The same asset by whichever of both references, or by both.
            let asset = configuration.appConfig?.dataAssetReference ?? configuration.legacyAppConfigAssetReference
            let own = [(ConfigurationHolder(app: app), asset)]
            let extensions = configuration.extensionConfigs.sorted { $0.key < $1.key }.map { composed, config in
                // `bundle (TEAM)`
                (
                    ConfigurationHolder(app: app, extension: String(composed.prefix { $0 != " " })),
                    config.dataAssetReference
                )
            }
            return (own + extensions).compactMap { holder, asset in
                asset.flatMap { Self.place(of: $0, in: manifest, for: holder) }
            }
        }
    }

    private static func place(of asset: String, in manifest: Manifest, for holder: ConfigurationHolder) -> Place? {
        guard let bytes = manifest.declarations[Manifest.name(kind: .asset, identifier: asset)],
            let data = try? Declaration(parsing: bytes),
            let digest = data.payload["Reference"]?["Hash-SHA-256"]?.string
        else { return nil }
        return Place(
            asset: ItemReference(identifier: data.identifier, serverToken: data.serverToken),
            held: HeldConfiguration(holder: holder, digest: digest))
    }

    /// What a device has of it, whatever its apps make of it.
    func held(by reported: DeclarationStatuses) -> [HeldConfiguration] {
        let valid = Set(
            reported[.asset].filter { $0.valid == .valid }.map {
                ItemReference(identifier: $0.identifier, serverToken: $0.serverToken)
            })
        return places.filter { valid.contains($0.asset) }.map(\.held)
    }
}

/// What was read of manifests, by their tokens: many devices share one.
typealias ConfigurationPlaceCache = BoundedCache<String, ConfigurationPlaces>
