package import AppMessages
package import DeviceMessages
import InputBounds

/// `com.apple.configuration.app.managed`: the apps that are managed, and what each of them is given.
///
/// Commands about apps are its own, too; what is installed follows what is managed.
package enum AppsSystem: DeviceSystem {
    /// A secret as a configuration names it.
    package struct SecretRequest: Equatable, Sendable {
        package let kind: SecretKind
        package let identifier: String
        package let asset: String
    }

    /// An app that an active configuration asks for.
    package struct Request: Equatable, Sendable {
        package var bundleIdentifier: String
        package var composedIdentifier: String
        package var declarationIdentifier: String
        package var configurationAsset: String?
        /// The asset of the dictionary for its user defaults; one asset may be both.
        package var defaultsAsset: String?
        package var extensionAssets: [String: String]
        package var secrets: [SecretRequest]
        package var extensionSecrets: [String: [SecretRequest]]
        /// The least trust at which it is given secrets.
        package var lowestTrust: AppTrust
        /// Everything that the configuration refers to.
        package var allAssets: Set<String>
        package var reasons: [StatusReason] = []
        package var manifest: ManifestSource?
        package var isOptional = false

        /// Those that must be sound before the configuration is: the app's own and its extensions'.
        var dataAssets: Set<String> {
            Set([configurationAsset, defaultsAsset].compactMap(\.self) + extensionAssets.values)
        }
    }

    /// The apps that are asked for, and the manifests they are installed by.
    package struct Desired: Equatable, Sendable {
        package var requests: [Request] = []
        /// By the declaration that names the manifest.
        package var manifests: [String: KnownManifest] = [:]
    }

    package static let name = "apps"
    package static let configurations = [AppManagedConfiguration.type]
    package static var commands: [String: DeviceCommands.Known] { DeviceCommands.appCommands }
    package static let statusItems = [AppStatus.name, AppFeedbackStatus.name, CommandedAppStatus.name]
    package static var nothing: Desired { Desired() }

    package static func serving(_ applied: Applied) -> Set<String> {
        Set(applied.apps.values.map(\.declarationIdentifier))
    }

    package static func judge(_ declaration: Declaration, in set: JudgedSet, _ desired: inout Desired) -> Judgment {
        guard let app = try? declaration.read(AppManagedConfiguration.self) else {
            return .invalid(.about(declaration, "Error.InvalidPayload"))
        }
        let named: NamedApp
        switch name(app, declaration, set.manifests[declaration.identifier]) {
        case .success(let found): named = found
        case .failure(let refusal): return .invalid(refusal.reason, mayHeal: refusal.mayHeal)
        }
        if let known = named.known { desired.manifests[declaration.identifier] = known }
        let request = Request(
            bundleIdentifier: named.bundle, composedIdentifier: named.composed,
            declarationIdentifier: declaration.identifier,
            configurationAsset: app.appConfig?.dataAssetReference,
            defaultsAsset: app.legacyAppConfigAssetReference,
            extensionAssets: app.extensionConfigs.compactMapValues(\.dataAssetReference),
            secrets: app.appConfig?.secretRequests ?? [],
            extensionSecrets: app.extensionConfigs.mapValues(\.secretRequests).filter { !$0.value.isEmpty },
            lowestTrust: app.lowestTrust,
            allAssets: Set(app.assetReferences), manifest: named.manifest, isOptional: app.install == .optional)
        if let first = desired.requests.firstIndex(where: { $0.bundleIdentifier == request.bundleIdentifier }) {
            let reason = StatusReason.about(declaration, "Error.DuplicateConfiguredApp")
            desired.requests[first].reasons.append(reason)
            return .invalid(reason)
        }
        desired.requests.append(request)
        let missing = request.allAssets.filter { set.declarations[$0]?.kind != .asset }.sorted()
        guard missing.isEmpty else { return .invalid(.missing(missing, of: declaration)) }
        if let rule = app.brokenRule(among: set.declarations) {
            return .invalid(.because("Error.ConfigurationIsInvalid", rule))
        }
        return .valid(.unknownKeys(AppManagedConfiguration.self, declaration))
    }

    package static func assets(of desired: Desired) -> Set<String> {
        desired.requests.reduce(into: []) { $0.formUnion($1.allAssets) }
    }

    package static func digests(of applied: Applied) -> Set<String> {
        Set(
            applied.apps.values.flatMap {
                [$0.configuration, $0.defaults].compactMap(\.self) + $0.extensions.values + $0.allSecrets.map(\.digest)
            })
    }
}
