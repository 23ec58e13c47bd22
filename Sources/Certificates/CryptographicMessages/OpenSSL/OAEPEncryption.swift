import COpenSSL
package import Foundation
package import Signatures

/// Encrypts to an RSA key with OAEP and a label, as a TPM demands; swift-crypto knows no labels.
package enum OAEPEncryption {
    /// Encrypts `message` to a public key (SubjectPublicKeyInfo); `hash` is that of the padding and of its mask.
    package static func encrypt(
        _ message: Data, to publicKeyInfo: Data, label: Data, hash: SignatureAlgorithm.Hash
    ) throws(SigningRefusal) -> Data {
        try withEmptyErrorQueue { () throws(SigningRefusal) in
            guard let library = try? LibraryContext.of(.modern) else { throw .key }
            let der = [UInt8](publicKeyInfo)
            let key = unsafe der.withUnsafeBufferPointer { buffer in
                var cursor = buffer.baseAddress
                return unsafe d2i_PUBKEY_ex(nil, &cursor, buffer.count, library.pointer, nil)
            }
            guard let key = unsafe key else { throw .key }
            defer { unsafe EVP_PKEY_free(key) }
            guard unsafe isAcceptableRSA(key) else { throw .algorithm }
            guard let context = unsafe EVP_PKEY_CTX_new_from_pkey(library.pointer, key, nil) else { throw .key }
            defer { unsafe EVP_PKEY_CTX_free(context) }
            guard unsafe EVP_PKEY_encrypt_init(context) == 1, unsafe prepare(context, label, hash) else {
                throw .key
            }
            let message = [UInt8](message)
            var count = Int(unsafe EVP_PKEY_get_size(key))
            var encrypted = [UInt8](repeating: 0, count: max(0, count))
            guard unsafe EVP_PKEY_encrypt(context, &encrypted, &count, message, message.count) == 1 else {
                throw .key
            }
            return Data(encrypted.prefix(count))
        }
    }

    private static func prepare(_ context: OpaquePointer, _ label: Data, _ hash: SignatureAlgorithm.Hash) -> Bool {
        let digest =
            switch hash {
            case .sha256: unsafe EVP_sha256()
            case .sha384: unsafe EVP_sha384()
            case .sha512: unsafe EVP_sha512()
            }
        guard unsafe EVP_PKEY_CTX_set_rsa_padding(context, RSA_PKCS1_OAEP_PADDING) == 1,
            unsafe EVP_PKEY_CTX_set_rsa_oaep_md(context, digest) == 1,
            unsafe EVP_PKEY_CTX_set_rsa_mgf1_md(context, digest) == 1,
            let copy = unsafe c_OPENSSL_memdup([UInt8](label), label.count)
        else { return false }
        // The context owns the copy once it has taken it.
        guard unsafe EVP_PKEY_CTX_set0_rsa_oaep_label(context, copy, Int32(label.count)) == 1 else {
            unsafe c_OPENSSL_free(copy)
            return false
        }
        return true
    }
}
