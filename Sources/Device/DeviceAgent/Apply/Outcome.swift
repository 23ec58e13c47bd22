import DeviceMessages
import InputBounds

/// What data was had for an asset.
package enum AssetResult: Equatable, Sendable {
    /// It is here, under this SHA-256.
    case here(digest: String)
    case refused(AssetRefusal)
}

extension Evaluation {
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
    package func outcome(assets results: [String: AssetResult], previous: Applied) -> Applied {
        var applied = Applied()
        applied.generation = previous.generation + 1
        applied.subscriptions = subscriptions
        applied.verdicts = verdicts
        for need in needs {
            switch results[need.identifier] {
            case .here(let digest):
                applied.assets[need.identifier] = AppliedAsset(serverToken: need.serverToken, digest: digest)
            case .refused(let refusal):
                applied.verdicts[need.identifier]?.valid = .invalid
                applied.verdicts[need.identifier]?.reasons.insert(.because(refusal.code, refusal.sentence), at: 0)
                if refusal.mayHeal { applied.isComplete = false }
            case nil:
                applied.verdicts[need.identifier]?.valid = .unknown
                applied.isComplete = false
            }
        }
        for request in apps {
            applied.apps[request.bundleIdentifier] = app(request, in: &applied, previous: previous)
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
        if applied.verdicts[identifier]?.valid == .valid {
            app.configuration = request.configurationAsset.flatMap { applied.assets[$0]?.digest }
            app.extensions = request.extensionAssets.compactMapValues { applied.assets[$0]?.digest }
        } else if let before = previous.apps[request.bundleIdentifier] {
            app.configuration = before.configuration
            app.extensions = before.extensions
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
            }
        }
    }
}
