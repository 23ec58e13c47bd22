/// Why a message signature, or the certificate it is judged by, is refused.
///
/// Each case names the rule that was broken; nothing of the message is repeated.
package enum SignatureRefusal: String, Error, Sendable, CaseIterable {
    case tooLarge
    case malformed
    case notDetachedSignedData
    case notExactlyOneSigner
    case tooManyCertificates
    case signerCertificateMissing
    case otherSigner
    case digestAlgorithm
    case signatureAlgorithm
    case attributesMissing
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
        case .malformed: "the signature is not strict DER of CMS SignedData"
        case .notDetachedSignedData: "the signature is not detached SignedData over plain data"
        case .notExactlyOneSigner: "the signature does not have exactly one signer"
        case .tooManyCertificates: "the signature carries too many certificates"
        case .signerCertificateMissing: "the signer's certificate is not in the signature, or is there twice"
        case .otherSigner: "the signer is not the expected certificate"
        case .digestAlgorithm: "the digest algorithm is not SHA-256, SHA-384 or SHA-512"
        case .signatureAlgorithm: "the signature algorithm does not fit the key and the digest"
        case .attributesMissing: "the signature has no signed attributes"
        case .attributes: "the signed attributes are repeated, missing or of the wrong form"
        case .unsignedAttributes: "the signature carries unsigned attributes"
        case .bodyDiffers: "the body is not the one that was signed"
        case .signatureInvalid: "the signature does not verify"
        case .certificate: "the certificate cannot be read or its key is not RSA 2048–4096, P-256 or P-384"
        }
    }
}
