import Crypto
package import Foundation

/// A value as it is kept: under a key of its own, which is wrapped under a master key.
package struct SealedSecret: Sendable, Equatable {
    package var masterKeyID: String
    package var wrappedKey: Data
    /// Nonce, ciphertext and tag.
    package var sealed: Data

    package init(masterKeyID: String, wrappedKey: Data, sealed: Data) {
        self.masterKeyID = masterKeyID
        self.wrappedKey = wrappedKey
        self.sealed = sealed
    }
}

/// Why a kept value does not open.
package enum SealRefusal: Error, Sendable, Equatable {
    /// The master key that wraps it is not among ours.
    case unknownMasterKey
    /// It is not what was sealed under this name and version.
    case damaged
}

extension MasterKeys {
    /// Seals a value for one version of one secret: elsewhere it does not open.
    package func seal(_ value: Data, secret name: String, version: Int) throws -> SealedSecret {
        let dataKey = SymmetricKey(size: .bits256)
        let box = try AES.GCM.seal(value, using: dataKey, authenticating: Self.place(name, version))
        guard let sealed = box.combined else { throw SealRefusal.damaged }
        return SealedSecret(
            masterKeyID: current.id, wrappedKey: try wrap(dataKey, name, version), sealed: sealed)
    }

    package func open(_ secret: SealedSecret, secret name: String, version: Int) throws -> Data {
        try open(KeptSecret(name: name, version: version, secret: secret))
    }

    /// The same value with its key under the current master key; the value itself is not opened.
    package func rewrap(_ secret: SealedSecret, secret name: String, version: Int) throws -> SealedSecret {
        let dataKey = try unwrap(secret, name, version)
        return SealedSecret(
            masterKeyID: current.id, wrappedKey: try wrap(dataKey, name, version), sealed: secret.sealed)
    }

    func wrap(_ dataKey: SymmetricKey, _ name: String, _ version: Int) throws -> Data {
        let bytes = unsafe dataKey.withUnsafeBytes { unsafe Data($0) }
        let box = try AES.GCM.seal(bytes, using: current.key, authenticating: Self.keyPlace(name, version))
        guard let wrapped = box.combined else { throw SealRefusal.damaged }
        return wrapped
    }

    func unwrap(_ secret: SealedSecret, _ name: String, _ version: Int) throws -> SymmetricKey {
        guard let master = key(secret.masterKeyID) else { throw SealRefusal.unknownMasterKey }
        do {
            return SymmetricKey(
                data: try AES.GCM.open(
                    AES.GCM.SealedBox(combined: secret.wrappedKey), using: master.key,
                    authenticating: Self.keyPlace(name, version)))
        } catch {
            throw SealRefusal.damaged
        }
    }

    /// Names and versions hold no slash, so that no two places are alike.
    static func place(_ name: String, _ version: Int, _ owner: SecretOwner? = nil) -> Data {
        Data("secret/\(name)/\(version)\(owner.map { "/\($0.kind.rawValue)/\($0.name)" } ?? "")".utf8)
    }

    private static func keyPlace(_ name: String, _ version: Int) -> Data { Data("key/\(name)/\(version)".utf8) }
}
