package import DeviceMessages
import InputBounds

/// Which app a configuration means.
extension AppsSystem {
    /// A manifest that an active configuration names.
    package struct ManifestNeed: Equatable, Sendable {
        package let identifier: String
        package let serverToken: String
        package let url: String
    }

    /// An app as its configuration names it.
    struct NamedApp {
        let bundle: String
        let composed: String
        var manifest: ManifestSource?
        /// The manifest itself, where the app is named by one.
        var known: KnownManifest?
    }

    /// A source that names no app of this device.
    struct SourceRefusal: Error {
        let reason: StatusReason
        var mayHeal = false
    }

    /// The manifests that active configurations name; those of `declarations` that cannot be read need none.
    ///
    /// Predicates are evaluated for `facts`, by default the properties alone.
    package static func manifestNeeds(
        _ declarations: [String: Declaration], facts: PredicateFacts? = nil
    ) -> [ManifestNeed] {
        let facts = facts ?? PredicateFacts(declarations)
        var active: Set<String> = []
        for declaration in declarations.values where declaration.kind == .activation {
            guard let activation = try? declaration.read(SimpleActivation.self),
                PredicateResult(activation, declaration, by: facts).isActive
            else { continue }
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
    static func name(
        _ app: AppManagedConfiguration, _ declaration: Declaration, _ manifest: ManifestResult?
    ) -> Result<NamedApp, SourceRefusal> {
        switch app.source {
        case .composedIdentifier(let composed):
            guard let bundle = app.bundleIdentifier else {
                return .failure(SourceRefusal(reason: .about(declaration, "Error.InvalidPayload")))
            }
            return .success(NamedApp(bundle: bundle, composed: composed))
        case .manifestURL(let url):
            switch manifest {
            case .here(let known):
                return .success(
                    NamedApp(
                        bundle: known.bundleIdentifier, composed: known.bundleIdentifier,
                        manifest: ManifestSource(url: url, known: known, updates: app.updates), known: known))
            case .refused(let refusal):
                return .failure(
                    SourceRefusal(
                        reason: .because(refusal.codeOfManifest, refusal.sentence), mayHeal: refusal.mayHeal))
            case nil:
                return .failure(
                    SourceRefusal(
                        reason: .because("Error.DownloadFailed", "the manifest is not here yet"), mayHeal: true))
            }
        case .appStoreID, .bundleID:
            return .failure(SourceRefusal(reason: .about(declaration, "Error.ConfigurationNotSupported")))
        }
    }
}

extension AppManagedConfiguration {
    /// How far new versions are followed; what is not said is the system's usual, which follows the server alone.
    fileprivate var updates: ManifestSource.Updates {
        let word = others["UpdateBehavior"]?.object?["AutomaticAppUpdates"]?.string
        return word.flatMap(ManifestSource.Updates.init) ?? .asUsual
    }
}
