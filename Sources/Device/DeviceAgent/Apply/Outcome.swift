import AppMessages
import DeviceMessages
import InputBounds

/// What data was had for an asset.
package enum AssetResult: Equatable, Sendable {
    /// It is here, under this SHA-256.
    case here(digest: String)
    case refused(AssetRefusal)
}

/// What became of the asset of a secret.
package enum SecretResult: Equatable, Sendable {
    case here(ProvisionedSecret)
    case refused(AssetRefusal)
}

extension Evaluation {
    /// Secrets that are here already, from `previous`: same asset, same token.
    package func secretsHere(_ previous: Applied) -> [String: SecretResult] {
        var here: [String: SecretResult] = [:]
        for need in secretNeeds {
            if let secret = previous.secrets[need.identifier], secret.serverToken == need.serverToken {
                here[need.identifier] = .here(secret)
            }
        }
        return here
    }

    /// Assets whose data is here already, from `previous`: same asset, same token.
    package func alreadyHere(_ previous: Applied) -> [String: AssetResult] {
        var here: [String: AssetResult] = [:]
        for need in needs {
            if let asset = previous.assets[need.identifier], asset.serverToken == need.serverToken {
                here[need.identifier] = .here(digest: asset.digest)
            }
        }
        return here
    }

    /// Joins the judgement with the data that was had: what the device is to hold from now on.
    ///
    /// An app whose configuration cannot be had keeps the one it had (D9). Each secret stands for itself: one that cannot be
    /// had is absent, and nothing else is. An app that no declaration asks for any more is gone with all that belonged to
    /// it (D14).
    package func outcome(
        assets results: [String: AssetResult], secrets: [String: SecretResult] = [:], previous: Applied
    ) -> Applied {
        var applied = Applied()
        applied.generation = previous.generation + 1
        applied.subscriptions = subscriptions
        applied.verdicts = verdicts
        applied.manifests = manifests
        applied.teams = teams
        applied.isComplete = !isIncomplete
        var failures: [String: AppSecrets.Absence.Place] = [:]
        for need in needs {
            switch results[need.identifier] {
            case .here(let digest):
                applied.assets[need.identifier] = AppliedAsset(serverToken: need.serverToken, digest: digest)
            case .refused(let refusal): failures[need.identifier] = applied.refuse(need.identifier, refusal)
            case nil: failures[need.identifier] = applied.miss(need.identifier)
            }
        }
        for need in secretNeeds {
            switch secrets[need.identifier] {
            case .here(let secret): applied.secrets[need.identifier] = secret
            case .refused(let refusal): failures[need.identifier] = applied.refuse(need.identifier, refusal)
            case nil: failures[need.identifier] = applied.miss(need.identifier)
            }
        }
        for request in apps {
            applied.apps[request.bundleIdentifier] = app(request, failures, in: &applied, previous: previous)
        }
        keepUnreadable(in: &applied, previous: previous)
        return applied
    }

    private func app(
        _ request: AppRequest, _ failures: [String: AppSecrets.Absence.Place], in applied: inout Applied,
        previous: Applied
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
            app.extensions = request.extensionAssets.compactMapValues { applied.assets[$0]?.digest }
        }
        takeSecrets(of: request, failures, for: &app, in: &applied, previous: previous)
        return app
    }

    /// An active configuration that cannot even be read must not cost its app what it has.
    private func keepUnreadable(in applied: inout Applied, previous: Applied) {
        for (bundle, before) in previous.apps where applied.apps[bundle] == nil {
            if let verdict = verdicts[before.declarationIdentifier], verdict.active, verdict.valid == .invalid,
                !apps.contains(where: { $0.declarationIdentifier == before.declarationIdentifier })
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

extension Applied {
    fileprivate mutating func refuse(_ identifier: String, _ refusal: AssetRefusal) -> AppSecrets.Absence.Place {
        invalidate(identifier, .because(refusal.code, refusal.sentence))
        if refusal.mayHeal { isComplete = false }
        if case .content = refusal { return .device }
        return .server
    }

    fileprivate mutating func miss(_ identifier: String) -> AppSecrets.Absence.Place {
        verdicts[identifier]?.valid = .unknown
        isComplete = false
        return .server
    }

    /// The first error that is known of a declaration.
    func failure(of identifier: String) -> StatusReason? {
        verdicts[identifier]?.reasons.first { $0.code.hasPrefix("Error.") }
    }

    mutating func invalidate(_ identifier: String, _ reason: StatusReason) {
        verdicts[identifier]?.valid = .invalid
        verdicts[identifier]?.reasons.insert(reason, at: 0)
    }
}
