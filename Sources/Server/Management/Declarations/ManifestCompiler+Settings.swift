import DeviceMessages
import Foundation
import InputBounds

extension ManifestCompiler {
    /// The declarations of settings, and what goes with them: the same for all devices of an audience.
    struct CompiledSettings: Sendable {
        var drafts: [Draft] = []
        var assets: [String: ManifestAsset] = [:]
        var withheld: [WithheldSetting] = []
    }

    /// A device that does not take a setting's configuration is not sent it: what it does not know it might refuse
    /// together with everything else.
    func settings(_ settings: [ChosenSetting], for audience: DeviceAudience) -> CompiledSettings {
        var compiled = CompiledSettings()
        for chosen in settings {
            if let reason = chosen.kind.refusal(of: audience) {
                compiled.withheld.append(WithheldSetting(key: chosen.key, reason: reason))
                continue
            }
            // What is kept was taken by its kind.
            guard let told = chosen.kind.declarations(chosen.key.name, chosen.setting.payload) else {
                continue
            }
            for configuration in told.configurations {
                compiled.drafts.append(
                    draft(.configuration, configuration.type, configuration.identifier, configuration.payload))
            }
            for asset in told.assets {
                compiled.drafts.append(file(asset))
                compiled.assets[asset.sha256] = ManifestAsset(mediaType: asset.mediaType, size: asset.bytes.count)
            }
        }
        return compiled
    }

    /// Where a device gets a file of a setting: as it gets configurations of apps, by its digest.
    ///
    /// The type may be one that secrets have, too, but it is no secret: there is nothing to seal, to release or to audit.
    private func file(_ asset: SettingDeclarations.Asset) -> Draft {
        draft(
            .asset, asset.type, asset.identifier,
            [
                "Reference": .object([
                    "DataURL": .string("\(baseURL)/mdm/assets/\(asset.sha256)"),
                    "ContentType": .string(asset.mediaType),
                    "Size": .integer(Int64(asset.bytes.count)),
                    "Hash-SHA-256": .string(asset.sha256),
                ]),
                "Authentication": .object(["Type": .string("MDM")]),
            ])
    }
}
