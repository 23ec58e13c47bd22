import DeviceMessages
import Foundation
import InputBounds

/// A configuration that a device says it holds.
package struct HeldConfiguration: Sendable, Hashable {
    package let app: String
    /// SHA-256 of its bytes on the device, in lowercase hexadecimal.
    package let digest: String

    package init(app: String, digest: String) {
        self.app = app
        self.digest = digest
    }
}

/// Where a manifest has the configurations of apps: which asset each is, under which token, with which bytes.
///
/// A device says of each declaration under which token it has it, and a token depends on bytes alone. So what a device
/// reports tells which bytes it has, if they are those that it is told of at present.
struct ConfigurationPlaces: Sendable {
    private struct Place {
        let asset: ItemReference
        let held: HeldConfiguration
    }

    private let places: [Place]
    /// The apps that the manifest declares, configured or not.
    let apps: [String]

    init(of manifest: Manifest) {
        apps = manifest.apps.values.sorted()
        places = manifest.apps.sorted { $0.key < $1.key }.compactMap { name, app in
            guard let document = manifest.declarations[name], let declaration = try? Declaration(parsing: document),
                let configuration = try? AppManagedConfiguration(payload: declaration.payload),
                let asset = configuration.appConfig?.dataAssetReference,
                let bytes = manifest.declarations[Manifest.name(kind: .asset, identifier: asset)],
                let data = try? Declaration(parsing: bytes),
                let digest = data.payload["Reference"]?["Hash-SHA-256"]?.string
            else { return nil }
            return Place(
                asset: ItemReference(identifier: data.identifier, serverToken: data.serverToken),
                held: HeldConfiguration(app: app, digest: digest))
        }
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
