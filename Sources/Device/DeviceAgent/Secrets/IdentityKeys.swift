package import AppMessages
package import CryptographicMessages
package import Foundation
package import Signatures
package import X509

/// Makes the private keys of identities and signs with them, wherever they live.
///
/// What a keeper of keys hands out is kept sealed with the secret; only the same keeper can use it again.
package protocol IdentityKeys: Sendable {
    /// Names the keeper in what is stored.
    var name: String { get }

    /// Whether its keys cannot leave a chip.
    var isHardware: Bool { get }

    /// Signs with a stored key; the caller has checked that `data` fits the algorithm.
    func sign(
        _ data: Data, _ algorithm: SignatureAlgorithm, with key: StoredKey
    ) throws(SigningRefusal) -> Data
}

/// A keeper that makes new keys.
package protocol KeyMaker: IdentityKeys {
    /// Makes a key.
    func make(_ kind: SigningKey.Algorithm) async throws(KeyRefusal) -> NewKey
}

/// A key that was just made.
package struct NewKey: Sendable {
    package let stored: StoredKey

    /// The same key, as it signs a request for its certificate.
    package let requester: Certificate.PrivateKey

    package init(stored: StoredKey, requester: Certificate.PrivateKey) {
        self.stored = stored
        self.requester = requester
    }
}

/// Why a key was not made.
package enum KeyRefusal: Error, Equatable {
    /// Keys of this kind are not made here.
    case kind
    /// Where keys are made does not answer.
    case unavailable
}

/// The private key of an identity as the sealed store keeps it.
package struct StoredKey: Codable, Equatable, Sendable {
    /// Whose key it is: the name of its `IdentityKeys`.
    package let keeper: String
    package let type: IdentityReply.KeyType

    /// In bits.
    package let size: Int

    /// The key itself, or what its chip needs to find it.
    package let material: Data

    package init(keeper: String, type: IdentityReply.KeyType, size: Int, material: Data) {
        self.keeper = keeper
        self.type = type
        self.size = size
        self.material = material
    }
}

/// All keepers of keys on this device.
package struct IdentityKeyring: Sendable {
    private let keepers: [any IdentityKeys]

    package init(_ keepers: [any IdentityKeys] = [SoftwareKeys()]) { self.keepers = keepers }

    /// The keeper of a key, if it is here.
    package func keeper(of key: StoredKey) -> (any IdentityKeys)? { keepers.first { $0.name == key.keeper } }
}
