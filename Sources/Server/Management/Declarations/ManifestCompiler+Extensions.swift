import Crypto
import DeviceMessages
import Foundation
import InputBounds

extension ManifestCompiler {
    /// What an app's extensions are given: each by its composed identifier, which has the app's team (S4-FLOW-04).
    func extensionConfigs(of entry: AssignmentSnapshot.Entry) -> [String: JSONValue] {
        let names = Set(entry.secrets.compactMap(\.place.extension)).union(entry.extensions.keys)
        return names.reduce(into: [:]) { configs, name in
            var config = secrets(of: entry, extension: name)
            if entry.extensions[name] != nil {
                config["DataAssetReference"] = .string(Self.identifier(ofExtension: name, app: entry.app))
            }
            configs[Self.composedIdentifier(name, team: entry.app.teamIdentifier)] = .object(config)
        }
    }

    /// Of a form that no app's has; it follows from app and extension alone.
    static func identifier(ofExtension name: String, app: App) -> String {
        var hash = SHA256()
        update(&hash, with: [Data(app.bundleIdentifier.utf8), Data(name.utf8)])
        return "martlet.extension." + Hexadecimal.text(hash.finalize()).prefix(46)
    }
}
