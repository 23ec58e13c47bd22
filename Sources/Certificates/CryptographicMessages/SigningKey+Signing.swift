import Crypto
import CryptoExtras
package import Foundation
package import Signatures

extension SigningKey {
    /// Signs a message or a digest, as the algorithm says; an ECDSA signature is DER.
    package func signature(over data: Data, with algorithm: SignatureAlgorithm) throws(SigningRefusal) -> Data {
        guard isRSA == (algorithm.scheme != .ecdsa) else { throw .algorithm }
        switch algorithm.input {
        case .digest:
            return try signature(overDigest: data, algorithm.scheme, algorithm.hash)
        case .message:
            switch algorithm.hash {
            case .sha256: return try signature(for: SHA256.hash(data: data), algorithm.scheme)
            case .sha384: return try signature(for: SHA384.hash(data: data), algorithm.scheme)
            case .sha512: return try signature(for: SHA512.hash(data: data), algorithm.scheme)
            }
        }
    }

    private func signature(
        for digest: some Digest, _ scheme: SignatureAlgorithm.Scheme
    ) throws(SigningRefusal) -> Data {
        do {
            switch self {
            case .rsa(let key):
                return try key.signature(for: digest, padding: scheme == .rsaPSS ? .PSS : .insecurePKCS1v1_5)
                    .rawRepresentation
            case .p256(let key): return try key.signature(for: digest).derRepresentation
            case .p384(let key): return try key.signature(for: digest).derRepresentation
            }
        } catch {
            throw .key
        }
    }
}
