import Foundation

extension Management {
    /// Whether each key that the store has on record is there, and makes the current one the store's.
    ///
    /// To be called before the server serves: a server that cannot open its secrets must say so at once. The key on
    /// record counts without secrets, too: a store that was put back with another key would be one with two by and by.
    package func unlockSecrets() async throws -> UnlockRefusal? {
        let keys = masterKeys.present
        guard try await store.masterKeyIDsOnRecord().allSatisfy({ keys.key($0) != nil }) else { return .keyMissing }
        try await rewrapSecrets()
        try await sealUnlockTokens()
        return nil
    }

    /// Wraps everything under the current master key; answers how many values that took.
    ///
    /// Another process may serve from the same store meanwhile: what it seals under an older key from now on is
    /// refused by the store until it has read its keys again.
    @discardableResult
    package func rewrapSecrets() async throws -> Int {
        let keys = try masterKeys.reload()
        if try await store.masterKeyID() != keys.current.id {
            try await store.setMasterKey(id: keys.current.id, now: moment)
        }
        var count = 0
        while true {
            let kept = try await store.secretsToRewrap(under: keys.current.id, limit: 200)
            guard !kept.isEmpty else { return count }
            try await store.rewrap(
                kept.map { ($0, try keys.rewrap($0.secret, secret: $0.name, version: $0.version)) })
            count += kept.count
        }
    }
}

/// Why the server cannot serve its secrets.
package enum UnlockRefusal: Error, Sendable, Equatable, CustomStringConvertible {
    case keyMissing

    package var description: String {
        "the secrets of this store are under a master key that is not here: restore the file master.key of the data "
            + "directory, or the key in MARTLET_MASTER_KEY; if it is lost, martlet-server forget-secrets goes on "
            + "without them"
    }
}
