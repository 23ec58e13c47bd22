/// Why a message signature, or the certificate it is judged by, is refused.
///
/// Each case names the rule that was broken; nothing of the message is repeated.
package enum SignatureRefusal: String, Error, Sendable, CaseIterable {
    case tooLarge
    case tooDeep
    case malformed
    case notDetachedSignedData
    case notSignedData
    case notExactlyOneSigner
    case signerCount
    case signerKey
    case tooManyCertificates
    case signerCertificateMissing
    case otherSigner
    case digestAlgorithm
    case legacyDigest
    case signatureAlgorithm
    case attributesMissing
    case bodyOfAttributes
    case attributes
    case unsignedAttributes
    case bodyDiffers
    case signatureInvalid
    case certificate
}

extension SignatureRefusal: CustomStringConvertible {
    package var description: String {
        switch self {
        case .tooLarge: "the signature exceeds \(MessageSignature.sizeLimit) bytes"
        case .tooDeep: "the signature nests more than \(MessageSignature.depthLimit) levels deep"
        case .malformed: "the signature cannot be read as CMS SignedData"
        case .notDetachedSignedData: "the signature is not detached SignedData over plain data"
        case .notSignedData: "the signature is not SignedData over plain data"
        case .notExactlyOneSigner: "the signature does not have exactly one signer"
        case .signerCount: "the signature does not have between 1 and \(MessageSignature.signerLimit) signers"
        case .signerKey: "a signer's key is neither RSA 2048–4096 nor on a curve of 256 to 521 bits"
        case .tooManyCertificates: "the signature carries too many certificates or digest algorithms"
        case .signerCertificateMissing: "the signer's certificate is not in the signature, or is there twice"
        case .otherSigner: "the signer is not the expected certificate"
        case .digestAlgorithm: "the digest algorithm is not SHA-256, SHA-384 or SHA-512"
        case .legacyDigest:
            """
            the signature uses SHA-1, which this enrollment may not: enroll the device with a code made with \
            --allow-legacy-cryptography
            """
        case .signatureAlgorithm: "the signature algorithm does not fit the key and the digest"
        case .attributesMissing: "the signature has no signed attributes"
        case .bodyOfAttributes: "a signature without signed attributes is not taken over a body that begins as they do"
        case .attributes: "the signed attributes are repeated, missing or of the wrong form"
        case .unsignedAttributes: "the signature carries unsigned attributes"
        case .bodyDiffers: "the body is not the one that was signed"
        case .signatureInvalid: "the signature does not verify"
        case .certificate: "the certificate cannot be read or its key is not RSA 2048–4096, P-256, P-384 or P-521"
        }
    }
}
