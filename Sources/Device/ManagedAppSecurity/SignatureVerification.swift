// Apple's names and signatures: source that calls these functions on iOS calls them here.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

import Crypto
import CryptoExtras
public import Foundation
public import ManagedApp
import Signatures

/// Verifies a signature over a message.
///
/// - Parameters:
///   - key: A public key, for example of ``ManagedApp/SecCertificateCopyKey(_:)``.
///   - algorithm: One that ``ManagedApp/SecKeyIsAlgorithmSupported(_:_:_:)`` names for verifying with this key: those over
///     messages. Over digests none is.
///   - signedData: The message.
///   - signature: The signature; for ECDSA as X9.62 in DER.
///   - error: Where to put why it is not: `errSecVerifyFailed`, or `errSecUnimplemented` for another algorithm or key.
/// - Returns: Whether the signature is that of the key over the message.
public func SecKeyVerifySignature(
    _ key: SecKey, _ algorithm: SecKeyAlgorithm, _ signedData: CFData, _ signature: CFData,
    _ error: UnsafeMutablePointer<Unmanaged<CFError>?>?
) -> Bool {
    let reason: CFError
    if SecKeyIsAlgorithmSupported(key, .verify, algorithm), let known = SignatureAlgorithm(name: algorithm.rawValue),
        let verifier = SignatureVerifier(key)
    {
        if verifier.isValid(signature, over: signedData, known) { return true }
        reason = securityError(errSecVerifyFailed, "The signature is not that of this key over this message.")
    } else {
        reason = securityError(errSecUnimplemented, "The key cannot verify with this algorithm.")
    }
    if let error = unsafe error { unsafe error.pointee = unsafe Unmanaged.passRetained(reason) }
    return false
}

/// A public key as swift-crypto has it.
private enum SignatureVerifier {
    case p256(P256.Signing.PublicKey)
    case p384(P384.Signing.PublicKey)
    case p521(P521.Signing.PublicKey)
    case rsa(_RSA.Signing.PublicKey)

    /// Nil for bits that are no such key, and for RSA of fewer than 2048 bits.
    init?(_ key: SecKey) {
        guard let bits = SecKeyCopyExternalRepresentation(key, nil) else { return nil }
        do {
            switch (key.publicKey.kind, key.size) {
            case (.ec, 256): self = .p256(try P256.Signing.PublicKey(x963Representation: bits))
            case (.ec, 384): self = .p384(try P384.Signing.PublicKey(x963Representation: bits))
            case (.ec, 521): self = .p521(try P521.Signing.PublicKey(x963Representation: bits))
            case (.rsa, _): self = .rsa(try _RSA.Signing.PublicKey(derRepresentation: bits))
            default: return nil
            }
        } catch {
            return nil
        }
    }

    func isValid(_ signature: Data, over message: Data, _ algorithm: SignatureAlgorithm) -> Bool {
        switch algorithm.hash {
        case .sha256: isValid(signature, SHA256.hash(data: message), algorithm.scheme)
        case .sha384: isValid(signature, SHA384.hash(data: message), algorithm.scheme)
        case .sha512: isValid(signature, SHA512.hash(data: message), algorithm.scheme)
        }
    }

    private func isValid(_ signature: Data, _ digest: some Digest, _ scheme: SignatureAlgorithm.Scheme) -> Bool {
        switch self {
        case .p256(let key):
            (try? P256.Signing.ECDSASignature(derRepresentation: signature)).map {
                key.isValidSignature($0, for: digest)
            } ?? false
        case .p384(let key):
            (try? P384.Signing.ECDSASignature(derRepresentation: signature)).map {
                key.isValidSignature($0, for: digest)
            } ?? false
        case .p521(let key):
            (try? P521.Signing.ECDSASignature(derRepresentation: signature)).map {
                key.isValidSignature($0, for: digest)
            } ?? false
        case .rsa(let key):
            key.isValidSignature(
                _RSA.Signing.RSASignature(rawRepresentation: signature), for: digest,
                padding: scheme == .rsaPSS ? .PSS : .insecurePKCS1v1_5)
        }
    }
}
