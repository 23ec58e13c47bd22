import AppMessages
package import CryptographicMessages
package import Foundation
package import Signatures

/// Keys of which the device keeps every bit, sealed in its store.
package struct SoftwareKeys: KeyMaker {
    package static let name = "software"

    package init() {}

    package var name: String { Self.name }
    package var isHardware: Bool { false }

    /// A key in the form in which it is stored.
    package static func stored(_ key: SigningKey) -> StoredKey {
        let type = key.keyType
        return StoredKey(
            keeper: name, type: type.family == .rsa ? .rsa : .ec, size: type.bits, material: key.pkcs8)
    }

    package func make(_ kind: SigningKey.Algorithm) async throws(KeyRefusal) -> NewKey {
        guard let key = try? SigningKey.generate(kind) else { throw .unavailable }
        return NewKey(stored: Self.stored(key), requester: key.certificateKey)
    }

    package func sign(
        _ data: Data, _ algorithm: SignatureAlgorithm, with stored: StoredKey
    ) throws(SigningRefusal) -> Data {
        guard let key = try? SigningKey(pkcs8: stored.material) else { throw .key }
        return try key.signature(over: data, with: algorithm)
    }
}
