import DeviceMessages
import Foundation
import Logging

/// Has what a set of declarations needs, and makes it what serves.
extension Session {
    /// Has the data of the set, then makes the whole of it one generation; returns whether all of the data was had.
    ///
    /// An identity that takes long to be issued follows in a generation of its own: everything else serves meanwhile, and
    /// what the set withdraws is withdrawn.
    func apply(
        _ set: SyncMachine.DeclarationSet, _ busy: inout Busy?,
        _ refused: inout [String: (token: String, refusal: AssetRefusal)]
    ) async throws -> Bool {
        var previous = device.known.applied
        let facts = PredicateFacts(set.declarations, status: StatusItems.device(device.known, device.facts))
        let manifests = await manifests(of: set.declarations, facts, previous)
        let evaluation = Evaluation(set.declarations, manifests: manifests, facts: facts, previous: previous)
        var results = evaluation.alreadyHere(previous)
        var contents: [String: Data] = [:]
        for need in evaluation.needs where results[need.identifier] == nil {
            do {
                let data = try await download(need.asset, &busy)
                contents[data.digest] = data
                results[need.identifier] = .here(digest: data.digest)
            } catch let refusal {
                log.warning("an asset cannot be used", metadata: ["why": "\(refusal.code): \(refusal.sentence)"])
                results[need.identifier] = .refused(refusal)
            }
        }
        var secrets = evaluation.secretsHere(previous)
        var waited = false
        for need in evaluation.secretNeedsInOrder where secrets[need.identifier] == nil {
            if let known = refused[need.identifier], known.token == need.serverToken {
                secrets[need.identifier] = .refused(known.refusal)
                continue
            }
            do {
                let secret = try await provision(need, &busy) {
                    guard !waited else { return }
                    waited = true
                    log.info("an identity takes long to be issued: everything else is put in place before it")
                    serveMeanwhile(evaluation, results, secrets, of: set, contents, &previous)
                }
                contents[secret.provisioned.digest] = secret.bytes
                secrets[need.identifier] = .here(secret.provisioned)
                refused[need.identifier] = nil
            } catch let refusal {
                log.warning("a secret cannot be had", metadata: ["why": "\(refusal.code): \(refusal.sentence)"])
                secrets[need.identifier] = .refused(refusal)
                if refusal.mayHeal { refused[need.identifier] = (need.serverToken, refusal) }
            }
        }
        let applied = outcome(of: evaluation, results, secrets, contents, previous)
        try keep(applied, of: set, contents, in: previous)
        for digest in applied.secretDigests { contents[digest]?.wipe() }
        publish()
        log.info(
            "declarations are in place",
            metadata: ["generation": "\(applied.generation)", "apps": "\(applied.apps.count)"])
        return applied.isComplete
    }

    private func outcome(
        of evaluation: Evaluation, _ results: [String: AssetResult], _ secrets: [String: SecretResult],
        _ contents: [String: Data], _ previous: Applied
    ) -> Applied {
        evaluation.outcome(assets: results, secrets: secrets, previous: previous, now: now()) { [device] digest in
            contents[digest] ?? device.content(digest)
        }
    }

    /// Makes what was had so far what serves, without the secrets that are still to come.
    private func serveMeanwhile(
        _ evaluation: Evaluation, _ results: [String: AssetResult], _ secrets: [String: SecretResult],
        of set: SyncMachine.DeclarationSet, _ contents: [String: Data], _ previous: inout Applied
    ) {
        let applied = outcome(of: evaluation, results, secrets, contents, previous)
        do {
            try keep(applied, of: set, contents, in: previous)
        } catch {
            // The whole is kept, or refused, when the identity is there.
            return log.warning("what was had so far could not be kept", metadata: ["why": "\(error)"])
        }
        previous = applied
        publish()
    }
}

extension Evaluation {
    /// Identities that have to be issued last: nothing that only has to be fetched waits for them.
    fileprivate var secretNeedsInOrder: [SecretNeed] {
        secretNeeds.filter { !$0.asset.kind.isIssued } + secretNeeds.filter(\.asset.kind.isIssued)
    }
}

extension CredentialAsset.Kind {
    /// Whether an authority has to issue it, for a key that is made here.
    fileprivate var isIssued: Bool { self == .scep || self == .acme }
}
