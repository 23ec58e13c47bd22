import Crypto
import CryptoExtras
package import Foundation

extension TPMPublicArea {
    /// The public key as SubjectPublicKeyInfo in DER; `nil` for what is no usable key.
    package var publicKeyInfo: Data? {
        switch kind {
        case .rsa(let key):
            guard [2048, 3072, 4096].contains(key.bits), key.modulus.count * 8 == Int(key.bits),
                let found = try? _RSA.Signing.PublicKey(n: key.modulus, e: Data([1, 0, 1]))
            else { return nil }
            return found.derRepresentation
        case .ecc(let key):
            let point = Data([4]) + key.x.padded(to: key.curve.size) + key.y.padded(to: key.curve.size)
            return switch key.curve {
            case .p256: try? P256.Signing.PublicKey(x963Representation: point).derRepresentation
            case .p384: try? P384.Signing.PublicKey(x963Representation: point).derRepresentation
            }
        case .sealed: return nil
        }
    }
}

extension Data {
    /// A number of fixed length: a TPM may leave leading zeroes away.
    package func padded(to count: Int) -> Data {
        self.count >= count ? Data(self) : Data(count: count - self.count) + self
    }
}
