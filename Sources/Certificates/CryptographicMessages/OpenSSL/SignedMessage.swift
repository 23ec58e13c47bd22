import COpenSSL
package import Foundation

/// A CMS message whose signature was verified: the outer layer of SCEP.
///
/// The reader takes BER too, as some clients stream.
package struct SignedMessage: Sendable {
    package let content: Data
    package let signerCertificate: Data
    /// The signer's public key as SubjectPublicKeyInfo.
    package let signerPublicKeyInfo: Data
    package let digest: SCEPDigest
    private let attributes: [String: SignedAttribute]

    /// The value of a signed attribute that was asked for at opening.
    package func attribute(_ identifier: String) -> SignedAttribute? { attributes[identifier] }

    /// The value of one signed attribute.
    package enum SignedAttribute: Sendable, Equatable {
        /// PrintableString or UTF8String.
        case text(String)
        case octets(Data)
    }

    /// Verifies `message` and returns its content with the `wanted` attributes.
    ///
    /// The signer is the one whose certificate is in the message, which says nothing about who that is, or, when
    /// `expectedSigner` is given, exactly that one.
    package static func open(
        _ message: Data, policy: CryptographyPolicy, attributes wanted: [String], expectedSigner: Data? = nil
    ) throws(CMSRefusal) -> SignedMessage {
        guard message.count <= CMSLimits.bytes else { throw .tooLarge }
        return try withEmptyErrorQueue { () throws(CMSRefusal) in
            try open([UInt8](message), try .of(policy), policy, wanted, expectedSigner)
        }
    }

    private static func open(
        _ message: [UInt8], _ library: LibraryContext, _ policy: CryptographyPolicy, _ wanted: [String],
        _ expectedSigner: Data?
    ) throws(CMSRefusal) -> SignedMessage {
        let cms = try unsafe library.message(message)
        defer { unsafe CMS_ContentInfo_free(cms) }
        guard unsafe OBJ_obj2nid(CMS_get0_type(cms)) == NID_pkcs7_signed,
            unsafe OBJ_obj2nid(CMS_get0_eContentType(cms)) == NID_pkcs7_data
        else { throw .wrongContent }
        try CMSShape.checkSignedData(try unsafe derBytes { unsafe i2d_CMS_ContentInfo(cms, $0) })

        let signers = unsafe CMS_get0_SignerInfos(cms)
        guard unsafe signers != nil, unsafe c_sk_CMS_SignerInfo_num(signers) == 1,
            let signer = unsafe c_sk_CMS_SignerInfo_value(signers, 0)
        else { throw .notExactlyOneSigner }

        let pinned: OpaquePointer?
        if let expectedSigner {
            unsafe pinned = try unsafe library.certificate([UInt8](expectedSigner))
        } else {
            unsafe pinned = nil
        }
        defer { unsafe X509_free(pinned) }
        let candidates = unsafe c_sk_X509_new()
        defer { unsafe c_sk_X509_free(candidates) }
        if let pinned = unsafe pinned { _ = unsafe c_sk_X509_push(candidates, pinned) }
        var flags = UInt32(CMS_NO_SIGNER_CERT_VERIFY | CMS_BINARY)
        if expectedSigner != nil { flags |= UInt32(CMS_NOINTERN) }
        guard unsafe CMS_set1_signers_certs(cms, candidates, flags) == 1 else { throw .signerCertificate }

        var key: OpaquePointer?
        var certificate: OpaquePointer?
        var digestAlgorithm: UnsafeMutablePointer<X509_ALGOR>?
        var signatureAlgorithm: UnsafeMutablePointer<X509_ALGOR>?
        unsafe CMS_SignerInfo_get0_algs(signer, &key, &certificate, &digestAlgorithm, &signatureAlgorithm)
        guard let certificate = unsafe certificate, let key = unsafe key else { throw .signerCertificate }
        // Checked before verifying: a huge modulus would make that slow.
        guard unsafe isAcceptableRSA(key) else { throw .signerKey }
        let digest = try SCEPDigest(
            digest: unsafe identifier(of: digestAlgorithm), signature: unsafe identifier(of: signatureAlgorithm))
        guard digest != .sha1 || policy == .legacy else { throw .legacyAlgorithm }
        let attributeCount = unsafe CMS_signed_get_attr_count(signer)
        guard (1...Int32(CMSLimits.attributes)).contains(attributeCount) else { throw .attributes }

        let content = try unsafe collect { (sink) throws(CMSRefusal) in
            guard unsafe CMS_verify(cms, candidates, nil, nil, sink, flags) == 1 else { throw .signature }
        }
        var found: [String: SignedAttribute] = [:]
        for name in wanted {
            found[name] = try unsafe attribute(name, of: signer)
        }
        return SignedMessage(
            content: Data(content),
            signerCertificate: Data(try unsafe derBytes { unsafe i2d_X509(certificate, $0) }),
            signerPublicKeyInfo: Data(try unsafe derBytes { unsafe i2d_PUBKEY(key, $0) }),
            digest: digest,
            attributes: found)
    }

    private static func identifier(of algorithm: UnsafeMutablePointer<X509_ALGOR>?) -> Int32 {
        guard let algorithm = unsafe algorithm else { return NID_undef }
        return unsafe OBJ_obj2nid(algorithm.pointee.algorithm)
    }

    /// The single value of an attribute that stands there once; nil when it is absent.
    private static func attribute(_ name: String, of signer: OpaquePointer) throws(CMSRefusal) -> SignedAttribute? {
        guard let object = unsafe OBJ_txt2obj(name, 1) else { throw .library }
        defer { unsafe ASN1_OBJECT_free(object) }
        let place = unsafe CMS_signed_get_attr_by_OBJ(signer, object, -1)
        guard place >= 0 else { return nil }
        guard unsafe CMS_signed_get_attr_by_OBJ(signer, object, place) < 0,
            let attribute = unsafe CMS_signed_get_attr(signer, place), unsafe X509_ATTRIBUTE_count(attribute) == 1,
            let value = unsafe X509_ATTRIBUTE_get0_type(attribute, 0)
        else { throw .attributes }
        let type = unsafe value.pointee.type
        guard [V_ASN1_PRINTABLESTRING, V_ASN1_UTF8STRING, V_ASN1_OCTET_STRING].contains(type),
            let string = unsafe value.pointee.value.asn1_string
        else { throw .attributes }
        let count = Int(unsafe ASN1_STRING_length(string))
        guard count <= 255 else { throw .attributes }
        let bytes = unsafe [UInt8](UnsafeBufferPointer(start: ASN1_STRING_get0_data(string), count: count))
        if type == V_ASN1_OCTET_STRING { return .octets(Data(bytes)) }
        guard !bytes.contains(0), let text = String(validating: bytes, as: UTF8.self) else { throw .attributes }
        return .text(text)
    }
}

/// Whether a key is one that SCEP messages may be signed with or encrypted to.
func isAcceptableRSA(_ key: OpaquePointer) -> Bool {
    guard unsafe EVP_PKEY_get_base_id(key) == EVP_PKEY_RSA,
        (2048...4096).contains(unsafe EVP_PKEY_get_bits(key))
    else { return false }
    var exponent: OpaquePointer?
    defer { unsafe BN_free(exponent) }
    // Work grows with the exponent too; every usual one is 65537 or less, and more than 32 bits is read by few.
    return unsafe EVP_PKEY_get_bn_param(key, "e", &exponent) == 1 && BN_num_bits(exponent) <= 32
}

/// The digest a signed message uses.
package enum SCEPDigest: Sendable, Equatable {
    case sha1, sha256, sha384, sha512

    init(digest: Int32, signature: Int32) throws(CMSRefusal) {
        let withRSA: Int32
        switch digest {
        case NID_sha1: (self, withRSA) = (.sha1, NID_sha1WithRSAEncryption)
        case NID_sha256: (self, withRSA) = (.sha256, NID_sha256WithRSAEncryption)
        case NID_sha384: (self, withRSA) = (.sha384, NID_sha384WithRSAEncryption)
        case NID_sha512: (self, withRSA) = (.sha512, NID_sha512WithRSAEncryption)
        default: throw .algorithm
        }
        guard signature == NID_rsaEncryption || signature == withRSA else { throw .algorithm }
    }

    var name: String {
        switch self {
        case .sha1: "SHA1"
        case .sha256: "SHA256"
        case .sha384: "SHA384"
        case .sha512: "SHA512"
        }
    }
}
