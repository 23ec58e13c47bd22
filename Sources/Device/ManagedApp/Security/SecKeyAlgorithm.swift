/// How a key signs, as Apple's Security framework names it: those that an identity's key can.
public struct SecKeyAlgorithm: RawRepresentable, Hashable, Sendable {
    /// The algorithm's name on the way to the agent.
    public let rawValue: String

    /// Names an algorithm.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }
}

// Apple's names, case included.
// swift-format-ignore: AlwaysUseLowerCamelCase
extension SecKeyAlgorithm {
    /// RSA with the padding of PKCS #1 v1.5, SHA-256, of a message.
    public static let rsaSignatureMessagePKCS1v15SHA256 = SecKeyAlgorithm(rawValue: "rsa-pkcs1-sha256-message")

    /// RSA with the padding of PKCS #1 v1.5, SHA-384, of a message.
    public static let rsaSignatureMessagePKCS1v15SHA384 = SecKeyAlgorithm(rawValue: "rsa-pkcs1-sha384-message")

    /// RSA with the padding of PKCS #1 v1.5, SHA-512, of a message.
    public static let rsaSignatureMessagePKCS1v15SHA512 = SecKeyAlgorithm(rawValue: "rsa-pkcs1-sha512-message")

    /// RSA with the padding of PKCS #1 v1.5, SHA-256, of a digest.
    public static let rsaSignatureDigestPKCS1v15SHA256 = SecKeyAlgorithm(rawValue: "rsa-pkcs1-sha256-digest")

    /// RSA with the padding of PKCS #1 v1.5, SHA-384, of a digest.
    public static let rsaSignatureDigestPKCS1v15SHA384 = SecKeyAlgorithm(rawValue: "rsa-pkcs1-sha384-digest")

    /// RSA with the padding of PKCS #1 v1.5, SHA-512, of a digest.
    public static let rsaSignatureDigestPKCS1v15SHA512 = SecKeyAlgorithm(rawValue: "rsa-pkcs1-sha512-digest")

    /// RSA-PSS with a salt as long as the digest, SHA-256, of a message.
    public static let rsaSignatureMessagePSSSHA256 = SecKeyAlgorithm(rawValue: "rsa-pss-sha256-message")

    /// RSA-PSS with a salt as long as the digest, SHA-384, of a message.
    public static let rsaSignatureMessagePSSSHA384 = SecKeyAlgorithm(rawValue: "rsa-pss-sha384-message")

    /// RSA-PSS with a salt as long as the digest, SHA-512, of a message.
    public static let rsaSignatureMessagePSSSHA512 = SecKeyAlgorithm(rawValue: "rsa-pss-sha512-message")

    /// RSA-PSS with a salt as long as the digest, SHA-256, of a digest.
    public static let rsaSignatureDigestPSSSHA256 = SecKeyAlgorithm(rawValue: "rsa-pss-sha256-digest")

    /// RSA-PSS with a salt as long as the digest, SHA-384, of a digest.
    public static let rsaSignatureDigestPSSSHA384 = SecKeyAlgorithm(rawValue: "rsa-pss-sha384-digest")

    /// RSA-PSS with a salt as long as the digest, SHA-512, of a digest.
    public static let rsaSignatureDigestPSSSHA512 = SecKeyAlgorithm(rawValue: "rsa-pss-sha512-digest")

    /// ECDSA, SHA-256, of a message.
    public static let ecdsaSignatureMessageX962SHA256 = SecKeyAlgorithm(rawValue: "ecdsa-sha256-message")

    /// ECDSA, SHA-384, of a message.
    public static let ecdsaSignatureMessageX962SHA384 = SecKeyAlgorithm(rawValue: "ecdsa-sha384-message")

    /// ECDSA, SHA-512, of a message.
    public static let ecdsaSignatureMessageX962SHA512 = SecKeyAlgorithm(rawValue: "ecdsa-sha512-message")

    /// ECDSA, SHA-256, of a digest.
    public static let ecdsaSignatureDigestX962SHA256 = SecKeyAlgorithm(rawValue: "ecdsa-sha256-digest")

    /// ECDSA, SHA-384, of a digest.
    public static let ecdsaSignatureDigestX962SHA384 = SecKeyAlgorithm(rawValue: "ecdsa-sha384-digest")

    /// ECDSA, SHA-512, of a digest.
    public static let ecdsaSignatureDigestX962SHA512 = SecKeyAlgorithm(rawValue: "ecdsa-sha512-digest")
}

/// What a key is asked to do, as Apple's Security framework names it.
public enum SecKeyOperationType: Int, Sendable {
    /// Signing, which a private key does.
    case sign

    /// Verifying, which a public key does, with `SecKeyVerifySignature` of the product `ManagedAppSecurity`.
    case verify

    /// Encrypting, which no key here does.
    case encrypt

    /// Decrypting, which no key here does.
    case decrypt

    /// Exchanging keys, which no key here does.
    case keyExchange
}
