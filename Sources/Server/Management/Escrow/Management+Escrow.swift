import DeviceMessages
import Foundation
import InputBounds

extension Management {
    /// Seals the unlock tokens that an earlier version kept as they came; answers how many that were.
    @discardableResult
    package func sealUnlockTokens() async throws -> Int {
        var count = 0
        while true {
            let bare = try await store.bareUnlockTokens(limit: 200)
            guard !bare.isEmpty else { return count }
            try await sealing { keys in
                try await store.sealUnlockTokens(
                    bare.map { ($0, try Self.seal($0.token, as: .unlock, of: $0.device, keys)) }, now: moment)
            }
            count += bare.count
        }
    }

    /// Keeps a device's bootstrap token, or forgets it where the device takes it back.
    func keepBootstrapToken(_ token: Data?, of device: String) async throws -> CheckInAnswer {
        guard let token else {
            try await store.removeEscrowedToken(.bootstrap, of: device, now: moment)
            return .done
        }
        guard try await changed(token, as: .bootstrap, of: device) != nil else { return .done }
        let isKept = try await sealing { keys in
            try await store.keepEscrowedToken(
                try Self.seal(token, as: .bootstrap, of: device, keys), as: .bootstrap, of: device, now: moment)
        }
        return isKept
            ? .done : .refused(.unknownDevice(log: "SetBootstrapToken of an enrollment that is not open"))
    }

    /// What a device left, for the device itself; that it is given is in the audit log, on disk, before this answers.
    func escrowed(_ token: EscrowedToken, for device: String) async throws -> Data? {
        guard let sealed = try await store.escrowedToken(token, of: device) else { return nil }
        let bytes = try opened(sealed, as: token, of: device)
        return try await store.recordGiven(sealed, as: token, to: device, now: moment) ? bytes : nil
    }

    /// A token that is another than the kept one; nothing for the same once more, as devices send it again and again.
    func changed(_ token: Data?, as kind: EscrowedToken, of device: String) async throws -> Data? {
        guard let token, !token.isEmpty else { return nil }
        // One that does not open is lost, and the new one takes its place.
        guard let sealed = try await store.escrowedToken(kind, of: device),
            let kept = try? opened(sealed, as: kind, of: device)
        else { return token }
        return kept == token ? nil : token
    }

    /// A `ClearPasscode` as its device gets it: with the unlock token that the device left, unless it has one.
    func withUnlockToken(_ command: QueuedCommand, for device: String) async throws -> Data {
        guard command.requestType == "ClearPasscode", let queued = try? Command(parsing: command.document),
            var request = queued.request.dictionary, request["UnlockToken"] == nil,
            let token = try await escrowed(.unlock, for: device)
        else { return command.document }
        request["UnlockToken"] = .data(token)
        return try Command(uuid: queued.uuid, request: .dictionary(request)).encoded()
    }

    /// Has something sealed and kept; once more under the newer key if another process began to wrap under one.
    func sealing<Kept: Sendable>(_ keep: (MasterKeys) async throws -> Kept) async throws -> Kept {
        do {
            return try await keep(masterKeys.present)
        } catch is MasterKeyReplaced {
            return try await keep(masterKeys.reload())
        }
    }

    static func seal(
        _ token: Data, as kind: EscrowedToken, of device: String, _ keys: MasterKeys
    ) throws -> SealedSecret {
        try keys.seal(token, secret: kind.sealName(of: device), version: EscrowedToken.sealVersion)
    }

    private func opened(_ sealed: SealedSecret, as kind: EscrowedToken, of device: String) throws -> Data {
        let kept = KeptSecret(
            name: kind.sealName(of: device), version: EscrowedToken.sealVersion, secret: sealed)
        do {
            return try masterKeys.present.open(kept)
        } catch SealRefusal.unknownMasterKey {
            // Another process wraps under a newer key.
            return try masterKeys.reload().open(kept)
        }
    }
}
