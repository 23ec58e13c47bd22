package import DeviceMessages
import InputBounds

/// Which app a configuration means.
extension Evaluation {
    /// An app as its configuration names it.
    struct NamedApp {
        let bundle: String
        let composed: String
        var manifest: ManifestSource?
    }

    /// A source that names no app of this device.
    struct SourceRefusal: Error {
        let reason: StatusReason
    }

    /// The manifests that active configurations name; those of `declarations` that cannot be read need none.
    package static func manifestNeeds(_ declarations: [String: Declaration]) -> [ManifestNeed] {
        var active: Set<String> = []
        for declaration in declarations.values where declaration.kind == .activation {
            guard let activation = try? declaration.read(SimpleActivation.self), activation.predicate == nil else {
                continue
            }
            active.formUnion(activation.standardConfigurations)
        }
        return active.sorted().compactMap { identifier in
            guard let declaration = declarations[identifier], declaration.type == AppManagedConfiguration.type,
                let app = try? declaration.read(AppManagedConfiguration.self), case .manifestURL(let url) = app.source
            else { return nil }
            return ManifestNeed(identifier: identifier, serverToken: declaration.serverToken, url: url)
        }
    }

    /// Finds the app by its source; stores are not to be had here.
    mutating func name(
        _ app: AppManagedConfiguration, _ declaration: Declaration
    ) -> Result<NamedApp, SourceRefusal> {
        switch app.source {
        case .composedIdentifier(let composed):
            guard let bundle = app.bundleIdentifier else {
                return .failure(SourceRefusal(reason: .about(declaration, "Error.InvalidPayload")))
            }
            return .success(NamedApp(bundle: bundle, composed: composed))
        case .manifestURL(let url):
            switch manifest(of: declaration.identifier) {
            case .here(let known):
                hold(known, of: declaration.identifier)
                return .success(
                    NamedApp(
                        bundle: known.bundleIdentifier, composed: known.bundleIdentifier,
                        manifest: ManifestSource(url: url, known: known, updates: app.updates)))
            case .refused(let refusal):
                if refusal.mayHeal { missSomething() }
                return .failure(SourceRefusal(reason: .because(Self.code(of: refusal), refusal.sentence)))
            case nil:
                missSomething()
                return .failure(SourceRefusal(reason: .because("Error.DownloadFailed", "the manifest is not here yet")))
            }
        case .appStoreID, .bundleID:
            return .failure(SourceRefusal(reason: .about(declaration, "Error.ConfigurationNotSupported")))
        }
    }

    private static func code(of refusal: AssetRefusal) -> String {
        if case .download = refusal { "Error.DownloadFailed" } else { "Error.InvalidAppID" }
    }
}

extension AppManagedConfiguration {
    /// How far new versions are followed; what is not said is the system's usual, which follows the server alone.
    fileprivate var updates: ManifestSource.Updates {
        let word = others["UpdateBehavior"]?.object?["AutomaticAppUpdates"]?.string
        return word.flatMap(ManifestSource.Updates.init) ?? .asUsual
    }
}
