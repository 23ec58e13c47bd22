import COpenSSL
import Foundation

/// A message signature that OpenSSL has read, in whatever form of SignedData it reads.
///
/// That is BER with lengths left open or longer than needed, content included or not, signers named by issuer and
/// serial number or by key identifier, with or without signed attributes. OpenSSL decides whether the signatures are
/// right; on top of its answer stand the bounds of work, the algorithms that are taken, and who must be among the signers.
enum GeneralSignature {
    /// What is known of one signer before anything is verified.
    private struct Signer {
        let certificate: [UInt8]
        /// The content octets of object identifiers.
        let digestAlgorithm: [UInt8]
        let signatureAlgorithm: [UInt8]
        let hasBoundedKey: Bool
        let hasAttributes: Bool
        /// Where there are attributes, they must say plain data, as the message does.
        let namesPlainData: Bool
        let signingTime: Date?
    }

    /// The certificate of each signer; nothing is verified.
    static func signerCertificates(in cms: Data) throws(SignatureRefusal) -> [Data] {
        try withEmptyErrorQueue { () throws(SignatureRefusal) -> [Data] in
            let message = try unsafe Self.read(cms)
            defer { unsafe CMS_ContentInfo_free(message) }
            let signers = try unsafe Self.signers(of: message)
            return signers.map { Data($0.certificate) }
        }
    }

    /// What `MessageSignature.verify` answers for a message that is not of the strict form.
    static func verify(
        _ cms: Data, over body: Data, by pinned: PinnedSigner, policy: CryptographyPolicy
    ) throws(SignatureRefusal) -> VerifiedSignature {
        try withEmptyErrorQueue { () throws(SignatureRefusal) -> VerifiedSignature in
            let message = try unsafe Self.read(cms)
            defer { unsafe CMS_ContentInfo_free(message) }
            let signers = try unsafe Self.signers(of: message)
            let verified = try Self.judge(signers, body, pinned, policy)
            if let included = unsafe Self.content(of: message), !included.elementsEqual(body) { throw .bodyDiffers }
            guard unsafe Self.isSigned(message, [UInt8](body)) else { throw .signatureInvalid }
            return verified
        }
    }

    /// What will have been verified once all signatures are right.
    private static func judge(
        _ signers: [Signer], _ body: Data, _ pinned: PinnedSigner, _ policy: CryptographyPolicy
    ) throws(SignatureRefusal) -> VerifiedSignature {
        guard let signer = signers.first(where: { $0.certificate == pinned.certificate }) else { throw .otherSigner }
        guard let digest = MessageDigest(signer.digestAlgorithm[...]), digest != .sha1 || policy == .legacy else {
            throw .digestAlgorithm
        }
        guard pinned.key.acceptsByLibrary(signer.signatureAlgorithm[...], with: digest) else {
            throw .signatureAlgorithm
        }
        // Before anything is verified: a huge modulus would make that slow.
        guard signers.allSatisfy(\.hasBoundedKey) else { throw .signerKey }
        guard signer.namesPlainData else { throw .attributes }
        // Without attributes the body itself is signed: the attributes of another message could pass for one.
        guard signer.hasAttributes || body.first != DERTag.set else { throw .bodyOfAttributes }
        return VerifiedSignature(signingTime: signer.signingTime, usesSHA1: digest == .sha1)
    }

    /// Whether every signer's signature over the body is right.
    private static func isSigned(_ message: OpaquePointer, _ body: [UInt8]) -> Bool {
        guard let count = Int32(exactly: body.count) else { return false }
        let flags = UInt32(CMS_NO_SIGNER_CERT_VERIFY | CMS_BINARY)
        // An empty array may have no address, and OpenSSL takes none.
        let octets = body.isEmpty ? [0] : body
        return unsafe octets.withUnsafeBytes { bytes in
            let source = unsafe BIO_new_mem_buf(bytes.baseAddress, count)
            defer { unsafe BIO_free(source) }
            return unsafe CMS_verify(message, nil, nil, source, nil, flags) == 1
        }
    }

    // MARK: Reading

    /// The caller frees what it gets.
    private static func read(_ cms: Data) throws(SignatureRefusal) -> OpaquePointer {
        guard cms.count <= MessageSignature.sizeLimit else { throw .tooLarge }
        let bytes = [UInt8](cms)
        try BERBounds.check(bytes)
        do throws(CMSRefusal) {
            return try unsafe LibraryContext.of(.modern).message(bytes)
        } catch {
            throw .malformed
        }
    }

    private static func signers(of message: OpaquePointer) throws(SignatureRefusal) -> [Signer] {
        guard unsafe OBJ_obj2nid(CMS_get0_type(message)) == NID_pkcs7_signed,
            unsafe OBJ_obj2nid(CMS_get0_eContentType(message)) == NID_pkcs7_data
        else { throw .notSignedData }
        try unsafe boundLists(of: message)
        let list = unsafe CMS_get0_SignerInfos(message)
        let count = unsafe c_sk_CMS_SignerInfo_num(list)
        guard (1...Int32(MessageSignature.signerLimit)).contains(count) else { throw .signerCount }
        guard unsafe CMS_set1_signers_certs(message, nil, 0) == count else { throw .signerCertificateMissing }
        var signers: [Signer] = []
        for index in 0..<count {
            guard let signer = unsafe c_sk_CMS_SignerInfo_value(list, index) else { throw .malformed }
            signers.append(try unsafe facts(of: signer))
        }
        return signers
    }

    private static func boundLists(of message: OpaquePointer) throws(SignatureRefusal) {
        do throws(CMSRefusal) {
            try CMSShape.checkSignedData(try unsafe derBytes { unsafe i2d_CMS_ContentInfo(message, $0) })
        } catch {
            throw error == .tooLarge ? SignatureRefusal.tooManyCertificates : SignatureRefusal.malformed
        }
    }

    private static func facts(of signer: OpaquePointer) throws(SignatureRefusal) -> Signer {
        var key: OpaquePointer?
        var certificate: OpaquePointer?
        var digest: UnsafeMutablePointer<X509_ALGOR>?
        var algorithm: UnsafeMutablePointer<X509_ALGOR>?
        unsafe CMS_SignerInfo_get0_algs(signer, &key, &certificate, &digest, &algorithm)
        guard let key = unsafe key, let certificate = unsafe certificate else { throw .signerCertificateMissing }
        let der: [UInt8]
        do throws(CMSRefusal) {
            der = try unsafe derBytes { unsafe i2d_X509(certificate, $0) }
        } catch {
            throw .malformed
        }
        let hasAttributes = unsafe CMS_signed_get_attr_count(signer) >= 0
        let isPlainData = unsafe contentType(of: signer) == NID_pkcs7_data
        return Signer(
            certificate: der,
            digestAlgorithm: unsafe identifier(of: digest),
            signatureAlgorithm: unsafe identifier(of: algorithm),
            hasBoundedKey: unsafe isBounded(key),
            hasAttributes: hasAttributes,
            namesPlainData: !hasAttributes || isPlainData,
            signingTime: unsafe signingTime(of: signer))
    }

    private static func identifier(of algorithm: UnsafeMutablePointer<X509_ALGOR>?) -> [UInt8] {
        guard let algorithm = unsafe algorithm else { return [] }
        let object = unsafe algorithm.pointee.algorithm
        let count = unsafe OBJ_length(object)
        return unsafe [UInt8](UnsafeBufferPointer(start: OBJ_get0_data(object), count: count))
    }

    /// Whether to verify with this key takes a bounded time.
    private static func isBounded(_ key: OpaquePointer) -> Bool {
        if unsafe isAcceptableRSA(key) { return true }
        return unsafe EVP_PKEY_get_base_id(key) == EVP_PKEY_EC && (256...521).contains(EVP_PKEY_get_bits(key))
    }

    /// What the signed attributes say that the content is, if they say it once.
    private static func contentType(of signer: OpaquePointer) -> Int32 {
        // -3: the only attribute of its type, with one value.
        let type = unsafe CMS_signed_get0_data_by_OBJ(
            signer, OBJ_nid2obj(NID_pkcs9_contentType), -3, V_ASN1_OBJECT)
        return unsafe OBJ_obj2nid(OpaquePointer(type))
    }

    private static func signingTime(of signer: OpaquePointer) -> Date? {
        let place = unsafe CMS_signed_get_attr_by_NID(signer, NID_pkcs9_signingTime, -1)
        guard place >= 0, let attribute = unsafe CMS_signed_get_attr(signer, place),
            let value = unsafe X509_ATTRIBUTE_get0_type(attribute, 0)
        else { return nil }
        let type = unsafe value.pointee.type
        guard type == V_ASN1_UTCTIME || type == V_ASN1_GENERALIZEDTIME,
            let string = unsafe value.pointee.value.asn1_string
        else { return nil }
        let count = Int(unsafe ASN1_STRING_length(string))
        let bytes = unsafe [UInt8](UnsafeBufferPointer(start: ASN1_STRING_get0_data(string), count: count))
        return SigningTime.date(tag: type == V_ASN1_UTCTIME ? DERTag.utcTime : DERTag.generalizedTime, bytes[...])
    }

    /// The content that the message includes, if it does.
    private static func content(of message: OpaquePointer) -> [UInt8]? {
        guard let place = unsafe CMS_get0_content(message), let content = unsafe place.pointee else { return nil }
        let count = Int(unsafe ASN1_STRING_length(content))
        return unsafe [UInt8](UnsafeBufferPointer(start: ASN1_STRING_get0_data(content), count: count))
    }
}
