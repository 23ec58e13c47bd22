import COpenSSL
package import Foundation

/// A CMS message encrypted to one RSA certificate: the inner layer of SCEP.
package enum EnvelopedMessage {
    /// Encrypts `content` to the key of `certificateDER`.
    package static func seal(
        _ content: Data, to certificateDER: Data, with cipher: ContentCipher = .aes128
    ) throws(CMSRefusal) -> Data {
        try withEmptyErrorQueue { () throws(CMSRefusal) in
            let library = try LibraryContext.of(cipher.isLegacy ? .legacy : .modern)
            let certificate = try unsafe library.certificate([UInt8](certificateDER))
            defer { unsafe X509_free(certificate) }
            guard let key = unsafe X509_get0_pubkey(certificate), unsafe isAcceptableRSA(key) else { throw .signerKey }
            guard let algorithm = unsafe EVP_CIPHER_fetch(library.pointer, cipher.name, nil) else { throw .library }
            defer { unsafe EVP_CIPHER_free(algorithm) }
            let recipients = unsafe c_sk_X509_new()
            defer { unsafe c_sk_X509_free(recipients) }
            guard unsafe c_sk_X509_push(recipients, certificate) == 1 else { throw .library }
            return try unsafe withSource([UInt8](content)) { (source) throws(CMSRefusal) in
                let cms = unsafe CMS_encrypt_ex(
                    recipients, source, algorithm, UInt32(CMS_BINARY), library.pointer, nil)
                guard let cms = unsafe cms else { throw .library }
                defer { unsafe CMS_ContentInfo_free(cms) }
                return Data(try unsafe derBytes { unsafe i2d_CMS_ContentInfo(cms, $0) })
            }
        }
    }

    /// Decrypts `message` with the key that belongs to `certificateDER`.
    ///
    /// The content is not authenticated: the signature around the message is what vouches for it.
    package static func open(
        _ message: Data, certificateDER: Data, key libraryKey: LibraryKey, policy: CryptographyPolicy
    ) throws(CMSRefusal) -> (content: Data, cipher: ContentCipher) {
        try withEmptyErrorQueue { () throws(CMSRefusal) in
            let library = try LibraryContext.of(policy)
            let cms = try unsafe library.message([UInt8](message))
            defer { unsafe CMS_ContentInfo_free(cms) }
            guard unsafe OBJ_obj2nid(CMS_get0_type(cms)) == NID_pkcs7_enveloped else { throw .wrongContent }
            let cipher = try CMSShape.cipher(ofEnvelope: try unsafe derBytes { unsafe i2d_CMS_ContentInfo(cms, $0) })
            guard !cipher.isLegacy || policy == .legacy else { throw .legacyAlgorithm }
            let recipients = unsafe CMS_get0_RecipientInfos(cms)
            guard unsafe recipients != nil,
                (1...Int32(CMSLimits.recipients)).contains(unsafe c_sk_CMS_RecipientInfo_num(recipients))
            else { throw .tooLarge }

            let certificate = try unsafe library.certificate([UInt8](certificateDER))
            defer { unsafe X509_free(certificate) }
            let key = try libraryKey.of(policy)
            // One refusal for a wrong key, wrong padding or wrong content: nothing to learn by trying.
            let content = try unsafe collect { (sink) throws(CMSRefusal) in
                guard unsafe CMS_decrypt(cms, key.pointer, certificate, nil, sink, UInt32(CMS_BINARY)) == 1 else {
                    throw .envelope
                }
            }
            return (Data(content), cipher)
        }
    }
}

/// The ciphers of envelopes; all in CBC mode, the only one SCEP knows.
package enum ContentCipher: Sendable, CaseIterable {
    case aes128, aes192, aes256, tripleDES, des

    package var isLegacy: Bool { self == .tripleDES || self == .des }

    var name: String {
        switch self {
        case .aes128: "AES-128-CBC"
        case .aes192: "AES-192-CBC"
        case .aes256: "AES-256-CBC"
        case .tripleDES: "DES-EDE3-CBC"
        case .des: "DES-CBC"
        }
    }

    var identifier: [UInt8] {
        switch self {
        case .aes128: ObjectIdentifiers.aes128CBC
        case .aes192: ObjectIdentifiers.aes192CBC
        case .aes256: ObjectIdentifiers.aes256CBC
        case .tripleDES: ObjectIdentifiers.tripleDESCBC
        case .des: ObjectIdentifiers.desCBC
        }
    }
}
