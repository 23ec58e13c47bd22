import Crypto
package import DeviceMessages
import Foundation
import InputBounds

extension Management {
    /// Lets a device out of its setup once everything that is meant for it is there; it may have been before.
    func releaseIfConfigured(_ key: String) async throws {
        guard let context = try await context(key), context.awaitsConfiguration else { return }
        let manifest = try await manifest(of: context)
        let apps = try await reportedApps(of: key)
        guard manifest.isInPlace(declarations: try await reportedDeclarations(of: key), apps: apps) else { return }
        let uuid = Self.releaseUUID(of: context)
        let command = QueuedCommand(
            uuid: uuid, requestType: "DeviceConfigured",
            document: try Command(uuid: uuid, request: .dictionary(["RequestType": .string("DeviceConfigured")]))
                .encoded(),
            state: .queued, deferred: false, author: "martlet-server", created: moment, sent: nil, finished: nil,
            result: nil, resultTooLarge: false)
        _ = try await store.enqueue(command, for: key, by: .server)
        contexts.forget(key)
        wakeHub.wake(key)
    }

    /// The same for one life of an enrollment: it is let out once.
    private static func releaseUUID(of context: DeviceContext) -> String {
        var hash = SHA256()
        for part in ["release", context.key, "\(context.epoch)"] {
            hash.update(data: Data("\(part.utf8.count):\(part)".utf8))
        }
        return uuid(Array(hash.finalize().prefix(16)))
    }
}

extension Manifest {
    /// Whether a device has reported on exactly the declarations it should hold.
    package func isReported(by reported: DeclarationStatuses?) -> Bool {
        HeldDeclarations(of: self).map { $0 == HeldDeclarations(reported) } ?? false
    }

    /// Whether all of it has taken effect: each declaration is valid, and each app is there or left to its user.
    ///
    /// A secret that the device can never get keeps nobody in the setup: it withholds itself and nothing else.
    package func isInPlace(declarations: DeclarationStatuses?, apps reported: [AppStatus]) -> Bool {
        guard let declarations, isReported(by: declarations) else { return false }
        let kinds: [DeclarationKind] = [.activation, .configuration, .management]
        let lost = Set(declarations[.asset].filter { $0.isRefusedForGood && isSecret($0.identifier) }.map(\.identifier))
        guard declarations[.asset].allSatisfy({ $0.valid == .valid || lost.contains($0.identifier) }),
            kinds.allSatisfy({ declarations[$0].allSatisfy { $0.valid == .valid || $0.lacksOnly(lost) } })
        else { return false }
        let states = Dictionary(reported.map { ($0.identifier, $0.state) }) { first, _ in first }
        return apps.values.allSatisfy { app in
            states[app].flatMap { $0 }.map { ["managed", "optional"].contains($0) } ?? false
        }
    }

    private func isSecret(_ asset: String) -> Bool {
        declarations[Self.name(kind: .asset, identifier: asset)]
            .flatMap { try? Declaration(parsing: $0) }
            .flatMap { CredentialAsset.Kind(rawValue: $0.type) } != nil
    }
}

extension DeclarationStatus {
    private var errors: [StatusReason] { reasons.filter { $0.code.hasPrefix("Error.") } }

    /// Whether the device has the asset's data and can make nothing of it: a download that fails is tried again.
    fileprivate var isRefusedForGood: Bool {
        let codes: Set = ["Error.AssetCannotBeVerified", "Error.AssetCannotBeDeserialized"]
        return valid == .invalid && !errors.isEmpty && errors.allSatisfy { codes.contains($0.code) }
    }

    /// Whether it would be valid if these assets were there.
    fileprivate func lacksOnly(_ assets: Set<String>) -> Bool {
        valid == .invalid && !errors.isEmpty
            && errors.allSatisfy { reason in
                let missing = reason.details?["AssetIdentifiers"]?.array?.compactMap(\.string) ?? []
                return reason.code == StatusReason.missingAssets && !missing.isEmpty && assets.isSuperset(of: missing)
            }
    }
}
