import Crypto
import CryptoExtras
package import Foundation

extension TPMSignature {
    /// Whether this is the signature of `message` by a key given as SubjectPublicKeyInfo.
    package func isValid(for message: Data, publicKeyInfo: Data) -> Bool {
        switch hash {
        case .sha256: isValid(SHA256.hash(data: message), publicKeyInfo)
        case .sha384: isValid(SHA384.hash(data: message), publicKeyInfo)
        case .sha512: isValid(SHA512.hash(data: message), publicKeyInfo)
        }
    }

    /// The signature as X.509 and TLS write it: ECDSA as DER, RSA as its number.
    package var standardForm: Data? {
        switch value {
        case .rsaPKCS1(let signature), .rsaPSS(let signature): signature
        case .ecdsa(let r, let s):
            if r.count <= 32, s.count <= 32 {
                try? P256.Signing.ECDSASignature(rawRepresentation: r.padded(to: 32) + s.padded(to: 32))
                    .derRepresentation
            } else if r.count <= 48, s.count <= 48 {
                try? P384.Signing.ECDSASignature(rawRepresentation: r.padded(to: 48) + s.padded(to: 48))
                    .derRepresentation
            } else {
                nil
            }
        }
    }

    private func isValid(_ digest: some Digest, _ publicKeyInfo: Data) -> Bool {
        switch value {
        case .rsaPKCS1(let signature), .rsaPSS(let signature):
            guard let key = try? _RSA.Signing.PublicKey(derRepresentation: publicKeyInfo) else { return false }
            let isPSS = if case .rsaPSS = value { true } else { false }
            return key.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: signature), for: digest,
                padding: isPSS ? .PSS : .insecurePKCS1v1_5)
        case .ecdsa:
            guard let der = standardForm else { return false }
            if let key = try? P256.Signing.PublicKey(derRepresentation: publicKeyInfo) {
                let signature = try? P256.Signing.ECDSASignature(derRepresentation: der)
                return signature.map { key.isValidSignature($0, for: digest) } ?? false
            }
            if let key = try? P384.Signing.PublicKey(derRepresentation: publicKeyInfo) {
                let signature = try? P384.Signing.ECDSASignature(derRepresentation: der)
                return signature.map { key.isValidSignature($0, for: digest) } ?? false
            }
            return false
        }
    }
}
