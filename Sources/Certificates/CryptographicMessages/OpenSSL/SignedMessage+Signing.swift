import COpenSSL
package import Foundation

extension SignedMessage {
    /// Signs `content`, included, with `attributes` among the signed ones and the signer's certificate beside it.
    package static func sign(
        _ content: Data, attributes: KeyValuePairs<String, SignedAttribute>, certificateDER: Data, key: LibraryKey,
        digest: SCEPDigest = .sha256
    ) throws(CMSRefusal) -> Data {
        try withEmptyErrorQueue { () throws(CMSRefusal) in
            try sign([UInt8](content), attributes, [UInt8](certificateDER), key, digest)
        }
    }

    private static func sign(
        _ content: [UInt8], _ attributes: KeyValuePairs<String, SignedAttribute>, _ certificate: [UInt8],
        _ libraryKey: LibraryKey, _ digest: SCEPDigest
    ) throws(CMSRefusal) -> Data {
        let policy: CryptographyPolicy = digest == .sha1 ? .legacy : .modern
        let library = try LibraryContext.of(policy)
        let certificate = try unsafe library.certificate(certificate)
        defer { unsafe X509_free(certificate) }
        let key = try libraryKey.of(policy)
        guard let hash = unsafe EVP_MD_fetch(library.pointer, digest.name, nil) else { throw .library }
        defer { unsafe EVP_MD_free(hash) }

        let flags = UInt32(CMS_BINARY | CMS_PARTIAL | CMS_NOSMIMECAP)
        guard let cms = unsafe CMS_sign_ex(nil, nil, nil, nil, flags, library.pointer, nil) else { throw .library }
        defer { unsafe CMS_ContentInfo_free(cms) }
        guard let signer = unsafe CMS_add1_signer(cms, certificate, key.pointer, hash, flags) else { throw .library }
        for (name, value) in attributes {
            try unsafe add(name, value, to: signer)
        }
        try unsafe withSource(content) { (source) throws(CMSRefusal) in
            guard unsafe CMS_final(cms, source, nil, UInt32(CMS_BINARY)) == 1 else { throw .library }
        }
        return Data(try unsafe derBytes { unsafe i2d_CMS_ContentInfo(cms, $0) })
    }

    private static func add(
        _ name: String, _ value: SignedAttribute, to signer: OpaquePointer
    ) throws(CMSRefusal) {
        guard let object = unsafe OBJ_txt2obj(name, 1) else { throw .library }
        defer { unsafe ASN1_OBJECT_free(object) }
        let (type, bytes) =
            switch value {
            case .text(let text): (V_ASN1_PRINTABLESTRING, [UInt8](text.utf8))
            case .octets(let octets): (V_ASN1_OCTET_STRING, [UInt8](octets))
            }
        guard unsafe CMS_signed_add1_attr_by_OBJ(signer, object, type, bytes, Int32(bytes.count)) == 1 else {
            throw .library
        }
    }
}
