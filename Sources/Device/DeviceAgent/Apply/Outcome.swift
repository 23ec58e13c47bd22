import AppMessages
import DeviceMessages
package import Foundation
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

    /// Joins the judgment with the data that was had: what the device is to hold from now on.
    ///
    /// Systems read what they judge by `content`, at the time `now`.
    package func outcome(
        assets results: [String: AssetResult], secrets: [String: SecretResult] = [:], previous: Applied,
        now: Date = Date(), content: @escaping @Sendable (_ digest: String) -> Data? = { _ in nil }
    ) -> Applied {
        var applied = Applied()
        applied.generation = previous.generation + 1
        applied.verdicts = verdicts
        applied.isComplete = !isIncomplete
        applied.knownTypes = DeviceSystems.configurations.sorted()
        var had = HadAssets(content: content, now: now)
        for need in needs {
            switch results[need.identifier] {
            case .here(let digest):
                applied.assets[need.identifier] = AppliedAsset(serverToken: need.serverToken, digest: digest)
            case .refused(let refusal): had.failures[need.identifier] = applied.refuse(need.identifier, refusal)
            case nil: had.failures[need.identifier] = applied.miss(need.identifier)
            }
        }
        for need in secretNeeds {
            switch secrets[need.identifier] {
            case .here(let secret): applied.secrets[need.identifier] = secret
            case .refused(let refusal): had.failures[need.identifier] = applied.refuse(need.identifier, refusal)
            case nil: had.failures[need.identifier] = applied.miss(need.identifier)
            }
        }
        desired.settle(had, previous: previous, in: &applied)
        return applied
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
