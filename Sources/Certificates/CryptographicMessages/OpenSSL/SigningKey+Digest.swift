import COpenSSL
import Foundation
import Signatures

extension SigningKey {
    /// Signs a digest that somebody else made, which swift-crypto does not offer.
    func signature(
        overDigest digest: Data, _ scheme: SignatureAlgorithm.Scheme, _ hash: SignatureAlgorithm.Hash
    ) throws(SigningRefusal) -> Data {
        guard digest.count == hash.size else { throw .digestLength }
        return try withEmptyErrorQueue { () throws(SigningRefusal) in
            guard let library = try? LibraryContext.of(.modern), let key = try? unsafe library.key(self) else {
                throw .key
            }
            defer { unsafe EVP_PKEY_free(key) }
            guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(library.pointer, key, nil) else { throw .key }
            defer { unsafe EVP_PKEY_CTX_free(context) }
            guard unsafe EVP_PKEY_sign_init(context) == 1, unsafe scheme.prepare(context, hash) else { throw .key }
            let digest = [UInt8](digest)
            var count = Int(unsafe EVP_PKEY_get_size(key))
            guard count > 0 else { throw .key }
            var signature = [UInt8](repeating: 0, count: count)
            guard unsafe EVP_PKEY_sign(context, &signature, &count, digest, digest.count) == 1 else { throw .key }
            return Data(signature.prefix(count))
        }
    }
}

extension SignatureAlgorithm.Scheme {
    fileprivate func prepare(_ context: OpaquePointer, _ hash: SignatureAlgorithm.Hash) -> Bool {
        let digest =
            switch hash {
            case .sha256: unsafe EVP_sha256()
            case .sha384: unsafe EVP_sha384()
            case .sha512: unsafe EVP_sha512()
            }
        let padding: Int32? =
            switch self {
            case .rsaPKCS1: RSA_PKCS1_PADDING
            case .rsaPSS: RSA_PKCS1_PSS_PADDING
            case .ecdsa: nil
            }
        if let padding, unsafe EVP_PKEY_CTX_set_rsa_padding(context, padding) != 1 { return false }
        if self == .rsaPSS, unsafe EVP_PKEY_CTX_set_rsa_pss_saltlen(context, RSA_PSS_SALTLEN_DIGEST) != 1 {
            return false
        }
        return unsafe EVP_PKEY_CTX_set_signature_md(context, digest) == 1
    }
}
