import DeviceMessages

/// What the device is to hold of its apps.
///
/// An app whose configuration cannot be had keeps the one it had (D9). Each secret stands for itself: one that cannot be
/// had is absent, and nothing else is. An app that no declaration asks for any more is gone with all that belonged to
/// it (D14).
extension AppsSystem {
    package static func settle(
        _ desired: Desired, _ had: HadAssets, previous: Applied, in applied: inout Applied
    ) {
        applied.manifests = desired.manifests
        for request in desired.requests {
            applied.apps[request.bundleIdentifier] = app(request, had, in: &applied, previous: previous)
        }
        keepUnreadable(desired, in: &applied, previous: previous)
    }

    private static func app(
        _ request: Request, _ had: HadAssets, in applied: inout Applied, previous: Applied
    ) -> AppliedApp {
        let identifier = request.declarationIdentifier
        let before = previous.apps[request.bundleIdentifier]
        var app = AppliedApp(
            composedIdentifier: request.composedIdentifier, declarationIdentifier: identifier, reasons: request.reasons)
        app.lowestTrust = request.lowestTrust
        (app.manifest, app.isOptional) = (request.manifest, request.isOptional)
        guard let verdict = applied.verdicts[identifier], verdict.valid == .valid else {
            // A declaration that is wrong in itself gives its app nothing new, and what it no longer names is withdrawn.
            app.keepConfiguration(of: before, because: applied.failure(of: identifier))
            app.keepSecrets(of: before, namedBy: request)
            return app
        }
        if let failed = request.dataAssets.sorted().first(where: { applied.verdicts[$0]?.valid != .valid }) {
            applied.invalidate(
                identifier, .because("Error.ConfigurationCannotBeApplied", "an asset it refers to is not valid"))
            app.keepConfiguration(of: before, because: applied.failure(of: failed))
        } else {
            app.configuration = request.configurationAsset.flatMap { applied.assets[$0]?.digest }
            app.defaults = request.defaultsAsset.flatMap { applied.assets[$0]?.digest }
            app.extensions = request.extensionAssets.compactMapValues { applied.assets[$0]?.digest }
        }
        takeSecrets(of: request, had.failures, for: &app, in: &applied, previous: previous)
        return app
    }

    /// An active configuration that cannot even be read must not cost its app what it has.
    private static func keepUnreadable(_ desired: Desired, in applied: inout Applied, previous: Applied) {
        for (bundle, before) in previous.apps where applied.apps[bundle] == nil {
            if let verdict = applied.verdicts[before.declarationIdentifier], verdict.active, verdict.valid == .invalid,
                !desired.requests.contains(where: { $0.declarationIdentifier == before.declarationIdentifier })
            {
                var app = before
                app.reasons.removeAll { $0.code == AppStatus.configurationNotApplied }
                app.keepConfiguration(of: before, because: applied.failure(of: before.declarationIdentifier))
                applied.apps[bundle] = app
                applied.manifests[before.declarationIdentifier] = previous.manifests[before.declarationIdentifier]
            }
        }
    }
}
