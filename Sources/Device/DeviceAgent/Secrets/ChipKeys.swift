import AppMessages
import Crypto
package import CryptographicMessages
package import Foundation
package import Signatures
import SwiftASN1
package import TPMKeys
import X509

/// Keys that a TPM made and that never leave it; what is stored is of use to that chip alone.
///
/// Without the chip nothing is signed: there is no other key.
package struct ChipKeys: KeyMaker {
    package static let name = "tpm"

    private let tpm: TPM

    package init(_ tpm: TPM) { self.tpm = tpm }

    package var name: String { Self.name }
    package var isHardware: Bool { true }

    /// Whether the chip makes keys of a kind: each chip has these.
    package static func makes(_ kind: SigningKey.Algorithm) -> Bool { TPMKeyKind(kind) != nil }

    package func make(_ kind: SigningKey.Algorithm) async throws(KeyRefusal) -> NewKey {
        guard let wanted = TPMKeyKind(kind) else { throw .kind }
        let blob: TPMKeyBlob
        do {
            blob = try await tpm.createKey(wanted)
        } catch {
            throw .unavailable
        }
        guard let material = try? JSONEncoder().encode(blob) else { throw .unavailable }
        return NewKey(
            stored: StoredKey(
                keeper: name, type: wanted == .rsa2048 ? .rsa : .ec, size: wanted.bits, material: material),
            requester: try Self.requester(of: blob, in: tpm))
    }

    package func sign(
        _ data: Data, _ algorithm: SignatureAlgorithm, with stored: StoredKey
    ) throws(SigningRefusal) -> Data {
        guard (stored.type == .ec) == (algorithm.scheme == .ecdsa) else { throw .algorithm }
        guard let blob = Self.blob(stored) else { throw .key }
        let digest = algorithm.input == .digest ? data : algorithm.hash.digest(of: data)
        do {
            return try tpm.waiting().sign(digest, with: blob, algorithm.scheme, algorithm.hash)
        } catch .algorithm {
            throw .algorithm
        } catch .timeout {
            throw .tookTooLong
        } catch .busy {
            throw .busy
        } catch {
            throw .key
        }
    }

    /// A key of the chip as it signs the request for its certificate.
    static func requester(of blob: TPMKeyBlob, in tpm: TPM) throws(KeyRefusal) -> Certificate.PrivateKey {
        guard let info = blob.publicKeyInfo, let publicKey = try? Certificate.PublicKey(derEncoded: Array(info)) else {
            throw .unavailable
        }
        return Certificate.PrivateKey(ChipRequester(tpm: tpm, key: blob, publicKey: publicKey))
    }

    /// What the chip is given of a key of its own.
    static func blob(_ stored: StoredKey) -> TPMKeyBlob? {
        guard stored.keeper == name else { return nil }
        return try? JSONDecoder().decode(TPMKeyBlob.self, from: stored.material)
    }
}

/// A key in the chip as it signs the request for its certificate.
private struct ChipRequester: CustomPrivateKey {
    let tpm: TPM
    let key: TPMKeyBlob
    let publicKey: Certificate.PublicKey

    static var defaultPEMDiscriminator: String { "TPM KEY" }

    var defaultSignatureAlgorithm: Certificate.SignatureAlgorithm { supportedSignatureAlgorithms[0] }

    var supportedSignatureAlgorithms: [Certificate.SignatureAlgorithm] {
        if P256.Signing.PublicKey(publicKey) != nil { return [.ecdsaWithSHA256] }
        return P384.Signing.PublicKey(publicKey) != nil ? [.ecdsaWithSHA384] : [.sha256WithRSAEncryption]
    }

    func signSynchronously(
        bytes: some DataProtocol, signatureAlgorithm: Certificate.SignatureAlgorithm
    ) throws -> Certificate.Signature { throw KeyRefusal.unavailable }

    func signAsynchronously(
        bytes: some DataProtocol & Sendable, signatureAlgorithm: Certificate.SignatureAlgorithm
    ) async throws -> Certificate.Signature {
        guard supportedSignatureAlgorithms.contains(signatureAlgorithm) else { throw KeyRefusal.kind }
        let hash: SignatureAlgorithm.Hash = signatureAlgorithm == .ecdsaWithSHA384 ? .sha384 : .sha256
        let signature = try await tpm.sign(
            hash.digest(of: Data(bytes)), with: key,
            signatureAlgorithm == .sha256WithRSAEncryption ? .rsaPKCS1 : .ecdsa, hash)
        return try Certificate.Signature(
            signatureAlgorithm: signatureAlgorithm, signatureBytes: ASN1BitString(bytes: ArraySlice(signature)))
    }

    // There is nothing to write down.
    func serialize(into coder: inout DER.Serializer) throws { throw KeyRefusal.kind }
    func serializeAsPEM() throws -> PEMDocument { throw KeyRefusal.kind }

    static func == (left: ChipRequester, right: ChipRequester) -> Bool { left.key == right.key }
    func hash(into hasher: inout Hasher) { hasher.combine(key) }
}

extension TPMKeyKind {
    fileprivate init?(_ kind: SigningKey.Algorithm) {
        switch kind {
        case .p256: self = .p256
        case .p384: self = .p384
        case .rsa2048: self = .rsa2048
        case .rsa3072, .rsa4096: return nil
        }
    }

    fileprivate var bits: Int {
        switch self {
        case .p256: 256
        case .p384: 384
        case .rsa2048: 2_048
        }
    }
}

extension SignatureAlgorithm.Hash {
    fileprivate func digest(of data: Data) -> Data {
        switch self {
        case .sha256: Data(SHA256.hash(data: data))
        case .sha384: Data(SHA384.hash(data: data))
        case .sha512: Data(SHA512.hash(data: data))
        }
    }
}
