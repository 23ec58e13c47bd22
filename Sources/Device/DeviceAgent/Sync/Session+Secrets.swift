import DeviceMessages
package import Foundation
import InputBounds
import Logging

/// Has the secrets that active configurations refer to, and renews what was issued to this device.
extension Session {
    /// A secret that was had, and the bytes to seal.
    struct Secret {
        let provisioned: ProvisionedSecret
        let bytes: Data
    }

    /// How long everything else waits for an identity to be issued.
    private static let issuePatience = Duration.seconds(2)

    /// Fetches the document of a secret, verifies it and has what it describes; `takesLong` is called if that does.
    func provision(
        _ need: Evaluation.SecretNeed, _ busy: inout Busy?, takesLong: () -> Void = {}
    ) async throws(AssetRefusal) -> Secret {
        let (asset, limit) = (need.asset, InputLimits.credential.bytes)
        let reply = try await fetch(asset.document, what: "the document of a secret", limit: limit, &busy)
        defer { reply.body.wipe() }
        try asset.document.check(
            reply.body, contentType: reply.contentType, as: "one of such a secret", asset.kind.mediaTypes,
            what: "the document of a secret", limit: limit)
        let found = try await Self.make(asset.kind, reply.body, by: provisioner, takesLong).get()
        var renewal: Renewal?
        if let begins = found.begins, let expires = found.expires {
            renewal = Renewal(from: begins, until: expires, now: now(), jitter: jitter())
        }
        return Secret(
            provisioned: ProvisionedSecret(serverToken: need.serverToken, digest: found.bytes.digest, renewal: renewal),
            bytes: found.bytes)
    }

    /// What a document describes, as bytes to seal.
    private struct Made: Sendable {
        let bytes: Data
        let begins: Date?
        let expires: Date?
    }

    // In a task of its own: the memory in which a task works is freed, and so overwritten, when the task ends. Ours lives
    // as long as the agent, with copies of each short password.
    private static func make(
        _ kind: CredentialAsset.Kind, _ document: Data, by provisioner: SecretProvisioner, _ takesLong: () -> Void
    ) async -> Result<Made, AssetRefusal> {
        await withTaskGroup(of: Result<Made, AssetRefusal>?.self) { group in
            group.addTask {
                do throws(AssetRefusal) {
                    let found = try await provisioner.provision(kind, document)
                    guard let bytes = try? found.content.encoded() else { throw .content("the secret cannot be kept") }
                    return .success(Made(bytes: bytes, begins: found.begins, expires: found.expires))
                } catch {
                    return .failure(error)
                }
            }
            group.addTask {
                try? await Task.sleep(for: issuePatience)
                return nil
            }
            defer { group.cancelAll() }
            while let ended = await group.next() {
                if let ended { return ended }
                if !Task.isCancelled { takesLong() }
            }
            return .failure(.content("the secret cannot be kept"))
        }
    }

    /// Replaces the certificates whose time has come; one that cannot be had leaves the old one serving.
    func renewDue() async throws {
        let moment = now()
        for (identifier, secret) in device.known.applied.secrets.sorted(by: { $0.key < $1.key }) {
            guard let renewal = secret.renewal, renewal.due <= moment,
                let declaration = device.known.declarations.all[identifier],
                declaration.serverToken == secret.serverToken, let asset = try? CredentialAsset(declaration)
            else { continue }
            let need = Evaluation.SecretNeed(
                identifier: identifier, serverToken: secret.serverToken, asset: asset)
            var busy: Busy?
            do {
                let new = try await provision(need, &busy)
                defer { new.bytes.wipe() }
                try device.change(contents: [new.provisioned.digest: new.bytes], forgetting: true) { state in
                    state.applied.replaceSecret(of: identifier, with: new.provisioned)
                }
                publish()
                log.info("a certificate was renewed", metadata: ["asset": "\(identifier)"])
            } catch let refusal as AssetRefusal {
                log.warning(
                    "a certificate could not be renewed yet",
                    metadata: ["why": "\(refusal.code): \(refusal.sentence)"])
                try device.change { $0.applied.secrets[identifier]?.renewal?.failed(at: moment) }
            }
        }
    }
}

extension AgentState {
    /// When the next certificate is to be replaced.
    ///
    /// One of a version that is no longer declared is not replaced by the same again.
    package var nextRenewal: Date? {
        applied.secrets.filter { declarations.all[$0.key]?.serverToken == $0.value.serverToken }
            .values.compactMap(\.renewal?.due).min()
    }
}
