import Crypto
import CryptoExtras
import CryptographicMessages
package import Foundation
import Signatures

/// A secret that only one TPM can open, and only if it also holds the named key (TPM2_MakeCredential, without a TPM).
///
/// A client that returns the secret has the endorsement key and the attestation key in the same chip (part 1 of the TPM
/// 2.0 library, 24).
package struct TPMCredential: Sendable, Hashable {
    /// TPM2B_ID_OBJECT without its length: what TPM2_ActivateCredential decrypts.
    package let blob: Data
    /// TPM2B_ENCRYPTED_SECRET without its length: what it decrypts it with.
    package let encryptedSeed: Data

    package init(blob: Data, encryptedSeed: Data) {
        self.blob = blob
        self.encryptedSeed = encryptedSeed
    }

    /// Encrypts `secret` to an endorsement key, for the key named `keyName`.
    package static func make(
        _ secret: Data, for keyName: Data, to endorsementKey: TPMPublicArea
    ) throws(TPMCredentialRefusal) -> TPMCredential {
        let hash = endorsementKey.nameHash
        guard !secret.isEmpty, secret.count <= hash.size else { throw .secret }
        let (seed, encryptedSeed, bits) = try seed(for: endorsementKey)
        let symmetricKey = TPMKeyDerivation.fromHMAC(hash, seed, "STORAGE", keyName, Data(), bits: Int(bits))
        let integrityKey = TPMKeyDerivation.fromHMAC(hash, seed, "INTEGRITY", Data(), Data(), bits: hash.size * 8)
        var plain = TPMWriter()
        plain.sized(secret)
        guard let start = try? AES._CFB.IV(ivBytes: Data(count: 16)),
            let encrypted = try? AES._CFB.encrypt(plain.data, using: SymmetricKey(data: symmetricKey), iv: start)
        else { throw .endorsementKey }
        var blob = TPMWriter()
        blob.sized(hash.authenticate(encrypted + keyName, key: integrityKey))
        blob.octets(encrypted)
        return TPMCredential(blob: blob.data, encryptedSeed: encryptedSeed)
    }

    private static let label = "IDENTITY"

    private static func seed(
        for endorsementKey: TPMPublicArea
    ) throws(TPMCredentialRefusal) -> (seed: Data, encrypted: Data, bits: UInt16) {
        let hash = endorsementKey.nameHash
        switch endorsementKey.kind {
        case .rsa(let key):
            guard let symmetric = key.symmetric, let info = endorsementKey.publicKeyInfo else { throw .endorsementKey }
            let seed = unsafe SymmetricKey(size: SymmetricKeySize(bitCount: hash.size * 8))
                .withUnsafeBytes { unsafe Data($0) }
            let encrypted = try? OAEPEncryption.encrypt(
                seed, to: info, label: Data((label + "\0").utf8), hash: hash.signatureHash)
            guard let encrypted else { throw .endorsementKey }
            return (seed, encrypted, symmetric.bits)
        case .ecc(let key):
            guard let symmetric = key.symmetric, let shared = EphemeralAgreement(with: key) else {
                throw .endorsementKey
            }
            let seed = TPMKeyDerivation.fromAgreement(
                hash, shared.secret, label, shared.x, key.x.padded(to: key.curve.size), bits: hash.size * 8)
            var point = TPMWriter()
            point.sized(shared.x)
            point.sized(shared.y)
            return (seed, point.data, symmetric.bits)
        case .sealed: throw .endorsementKey
        }
    }
}

/// Why no credential can be made.
package enum TPMCredentialRefusal: Error, Sendable, Equatable {
    /// Empty, or longer than the endorsement key's hash.
    case secret
    /// Not an RSA key, or a key on P-256 or P-384, that protects others.
    case endorsementKey
}

/// One agreement of a new key with that of a TPM.
private struct EphemeralAgreement {
    let x: Data
    let y: Data
    let secret: Data

    init?(with key: TPMPublicArea.ECC) {
        let size = key.curve.size
        let theirs = Data([4]) + key.x.padded(to: size) + key.y.padded(to: size)
        let ours: Data
        switch key.curve {
        case .p256:
            let ephemeral = P256.KeyAgreement.PrivateKey()
            guard let peer = try? P256.KeyAgreement.PublicKey(x963Representation: theirs),
                let agreed = try? ephemeral.sharedSecretFromKeyAgreement(with: peer)
            else { return nil }
            secret = unsafe agreed.withUnsafeBytes { unsafe Data($0) }
            ours = ephemeral.publicKey.x963Representation
        case .p384:
            let ephemeral = P384.KeyAgreement.PrivateKey()
            guard let peer = try? P384.KeyAgreement.PublicKey(x963Representation: theirs),
                let agreed = try? ephemeral.sharedSecretFromKeyAgreement(with: peer)
            else { return nil }
            secret = unsafe agreed.withUnsafeBytes { unsafe Data($0) }
            ours = ephemeral.publicKey.x963Representation
        }
        x = Data(ours.dropFirst().prefix(size))
        y = Data(ours.suffix(size))
    }
}

/// The TPM's own ways to derive keys (part 1, 11.4.10).
enum TPMKeyDerivation {
    /// KDFa.
    static func fromHMAC(
        _ hash: TPMHash, _ key: Data, _ label: String, _ first: Data, _ second: Data, bits: Int
    ) -> Data {
        derive(hash, bits: bits) { counter in
            var writer = TPMWriter()
            writer.integer(counter)
            writer.octets(Data((label + "\0").utf8) + first + second)
            writer.integer(UInt32(bits))
            return hash.authenticate(writer.data, key: key)
        }
    }

    /// KDFe.
    static func fromAgreement(
        _ hash: TPMHash, _ secret: Data, _ label: String, _ first: Data, _ second: Data, bits: Int
    ) -> Data {
        derive(hash, bits: bits) { counter in
            var writer = TPMWriter()
            writer.integer(counter)
            writer.octets(secret + Data((label + "\0").utf8) + first + second)
            return hash.hash(writer.data)
        }
    }

    private static func derive(_ hash: TPMHash, bits: Int, _ block: (UInt32) -> Data) -> Data {
        var derived = Data()
        var counter: UInt32 = 1
        while derived.count * 8 < bits {
            derived += block(counter)
            counter += 1
        }
        return Data(derived.prefix(bits / 8))
    }
}

extension TPMHash {
    fileprivate var signatureHash: SignatureAlgorithm.Hash {
        switch self {
        case .sha256: .sha256
        case .sha384: .sha384
        case .sha512: .sha512
        }
    }
}
