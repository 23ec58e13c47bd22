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
    /// An app whose update failed keeps the configuration it had (D9); an app nobody asks for any more is gone with all that
    /// belonged to it (D14).
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
            let isSound = applied.verdicts[request.declarationIdentifier]?.valid == .valid
            var app = self.app(request, in: &applied, previous: previous)
            // A declaration that is wrong in itself gives its app nothing: what it names is not provisioned at all.
            if isSound {
                app.absences = request.absences(of: request.secrets, beside: app.secrets, failures)
                app.extensionAbsences = request.extensionSecrets.reduce(into: [:]) { absences, one in
                    let present = app.extensionSecrets[one.key] ?? []
                    let missing = request.absences(of: one.value, beside: present, failures)
                    if !missing.isEmpty { absences[one.key] = missing }
                }
            }
            applied.apps[request.bundleIdentifier] = app
        }
        keepUnreadable(in: &applied, previous: previous)
        return applied
    }

    private func app(_ request: AppRequest, in applied: inout Applied, previous: Applied) -> AppliedApp {
        let identifier = request.declarationIdentifier
        let unsound = request.allAssets.filter { applied.verdicts[$0]?.valid != .valid }.sorted()
        if !unsound.isEmpty, applied.verdicts[identifier]?.valid == .valid {
            applied.verdicts[identifier]?.valid = .invalid
            applied.verdicts[identifier]?.reasons.insert(
                .because("Error.ConfigurationCannotBeApplied", "an asset it refers to is not valid"), at: 0)
        }
        var app = AppliedApp(
            composedIdentifier: request.composedIdentifier, declarationIdentifier: identifier, reasons: request.reasons)
        app.lowestTrust = request.lowestTrust
        (app.manifest, app.isOptional) = (request.manifest, request.isOptional)
        if applied.verdicts[identifier]?.valid == .valid {
            app.configuration = request.configurationAsset.flatMap { applied.assets[$0]?.digest }
            app.extensions = request.extensionAssets.compactMapValues { applied.assets[$0]?.digest }
            app.secrets = request.secrets.compactMap(applied.entry)
            app.extensionSecrets = request.extensionSecrets.mapValues { $0.compactMap(applied.entry) }
        } else if let before = previous.apps[request.bundleIdentifier] {
            app.configuration = before.configuration
            app.extensions = before.extensions
            // What the declaration no longer names is withdrawn, whatever else is wrong with it.
            app.secrets = before.secrets.filter(request.secrets.names)
            app.extensionSecrets = before.extensionSecrets.reduce(into: [:]) { kept, old in
                kept[old.key] = request.extensionSecrets[old.key].map { old.value.filter($0.names) }
            }
        }
        return app
    }

    /// An active configuration that cannot even be read must not cost its app what it has.
    private func keepUnreadable(in applied: inout Applied, previous: Applied) {
        for (bundle, before) in previous.apps where applied.apps[bundle] == nil {
            if let verdict = verdicts[before.declarationIdentifier], verdict.active, verdict.valid == .invalid,
                !apps.contains(where: { $0.declarationIdentifier == before.declarationIdentifier })
            {
                applied.apps[bundle] = before
                applied.manifests[before.declarationIdentifier] = previous.manifests[before.declarationIdentifier]
            }
        }
    }
}

extension Evaluation.AppRequest {
    /// The secrets that the app or one of its extensions was given and does not have, each with the place where it failed.
    ///
    /// One that is here, but not used while others of its configuration are missing, failed as the first of them did.
    fileprivate func absences(
        of requests: [Evaluation.SecretRequest], beside entries: [AppSecrets.Entry],
        _ failures: [String: AppSecrets.Absence.Place]
    ) -> [AppSecrets.Absence] {
        let first = allAssets.sorted().lazy.compactMap { failures[$0] }.first ?? .device
        return requests.filter { request in !entries.contains { [request].names($0) } }
            .map { AppSecrets.Absence($0.kind, $0.identifier, failures[$0.asset] ?? first) }
    }
}

extension [Evaluation.SecretRequest] {
    fileprivate func names(_ entry: AppSecrets.Entry) -> Bool {
        contains { $0.kind == entry.kind && $0.identifier.utf8.elementsEqual(entry.identifier.utf8) }
    }
}

extension Applied {
    fileprivate mutating func refuse(_ identifier: String, _ refusal: AssetRefusal) -> AppSecrets.Absence.Place {
        verdicts[identifier]?.valid = .invalid
        verdicts[identifier]?.reasons.insert(.because(refusal.code, refusal.sentence), at: 0)
        if refusal.mayHeal { isComplete = false }
        if case .content = refusal { return .device }
        return .server
    }

    fileprivate mutating func miss(_ identifier: String) -> AppSecrets.Absence.Place {
        verdicts[identifier]?.valid = .unknown
        isComplete = false
        return .server
    }

    fileprivate func entry(_ request: Evaluation.SecretRequest) -> AppSecrets.Entry? {
        secrets[request.asset].map { AppSecrets.Entry(request.kind, request.identifier, digest: $0.digest) }
    }
}
