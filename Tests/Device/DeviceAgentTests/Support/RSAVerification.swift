import AppMessages
import Crypto
import CryptoExtras
import Foundation
import Signatures

/// Verifies RSA signatures with another implementation than the one that makes them.
enum RSAVerification {
    static func isValid(
        _ signature: Data, of message: Data, _ scheme: SignatureAlgorithm.Scheme, _ digest: SignatureAlgorithm.Hash,
        _ key: _RSA.Signing.PublicKey
    ) -> Bool {
        let signature = _RSA.Signing.RSASignature(rawRepresentation: signature)
        let padding: _RSA.Signing.Padding = scheme == .rsaPSS ? .PSS : .insecurePKCS1v1_5
        return switch digest {
        case .sha256: key.isValidSignature(signature, for: SHA256.hash(data: message), padding: padding)
        case .sha384: key.isValidSignature(signature, for: SHA384.hash(data: message), padding: padding)
        case .sha512: key.isValidSignature(signature, for: SHA512.hash(data: message), padding: padding)
        }
    }
}
