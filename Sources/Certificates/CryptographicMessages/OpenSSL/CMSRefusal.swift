/// Why a signed or enveloped message is refused.
///
/// Each case names the rule that was broken; nothing of the message is repeated.
package enum CMSRefusal: String, Error, Sendable, CaseIterable {
    case tooLarge
    case malformed
    case wrongContent
    case notExactlyOneSigner
    case signerCertificate
    case signerKey
    case algorithm
    case legacyAlgorithm
    case attributes
    case signature
    case envelope
    case library
}

extension CMSRefusal: CustomStringConvertible {
    package var description: String {
        switch self {
        case .tooLarge: "the message exceeds \(CMSLimits.bytes) bytes or one of its lists is too long"
        case .malformed: "the message is not CMS"
        case .wrongContent: "the message does not hold the expected kind of content"
        case .notExactlyOneSigner: "the message does not have exactly one signer"
        case .signerCertificate: "the signer's certificate is missing or not the expected one"
        case .signerKey: "the signer's key is not RSA of 2048 to 4096 bits with a usual exponent"
        case .algorithm: "the message uses an algorithm that is never accepted"
        case .legacyAlgorithm: "the message uses SHA-1 or DES, which was not allowed for it"
        case .attributes: "the signed attributes are missing, repeated or of the wrong form"
        case .signature: "the signature does not verify"
        case .envelope: "the envelope cannot be opened with this key"
        case .library: "the cryptographic library failed"
        }
    }
}

/// Bounds of what is read: a certificate request with RSA-4096 in its envelope takes about 5 KiB.
package enum CMSLimits {
    package static let bytes = 65_536
    /// Each announced digest algorithm makes OpenSSL hash the whole content once more.
    static let digestAlgorithms = 4
    static let certificates = 8
    static let recipients = 8
    static let attributes = 32
}

/// Which algorithms a message may use.
package enum CryptographyPolicy: Sendable {
    /// SHA-2 and AES.
    case modern
    /// SHA-1, triple DES and single DES too, for devices that an operator opted in.
    case legacy
}
