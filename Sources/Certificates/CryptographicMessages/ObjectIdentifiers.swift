/// Object identifiers as the content octets that stand on the wire.
enum ObjectIdentifiers {
    // CMS content types
    static let data: [UInt8] = pkcs7 + [1]
    static let signedData: [UInt8] = pkcs7 + [2]
    static let envelopedData: [UInt8] = pkcs7 + [3]

    // CMS attributes
    static let contentType: [UInt8] = pkcs9 + [3]
    static let messageDigest: [UInt8] = pkcs9 + [4]
    static let signingTime: [UInt8] = pkcs9 + [5]
    static let countersignature: [UInt8] = pkcs9 + [6]

    // Digests
    static let sha1: [UInt8] = [0x2b, 0x0e, 0x03, 0x02, 0x1a]
    static let sha256: [UInt8] = nistHashes + [1]
    static let sha384: [UInt8] = nistHashes + [2]
    static let sha512: [UInt8] = nistHashes + [3]

    // Signatures
    static let rsaEncryption: [UInt8] = pkcs1 + [1]
    static let sha1WithRSA: [UInt8] = pkcs1 + [5]
    static let rsaPSS: [UInt8] = pkcs1 + [10]
    static let sha256WithRSA: [UInt8] = pkcs1 + [11]
    static let sha384WithRSA: [UInt8] = pkcs1 + [12]
    static let sha512WithRSA: [UInt8] = pkcs1 + [13]
    static let ecdsaWithSHA256: [UInt8] = ecdsaWithSHA2 + [2]
    static let ecdsaWithSHA384: [UInt8] = ecdsaWithSHA2 + [3]
    static let ecdsaWithSHA512: [UInt8] = ecdsaWithSHA2 + [4]

    // Content encryption
    static let aes128CBC: [UInt8] = nistCiphers + [2]
    static let aes192CBC: [UInt8] = nistCiphers + [22]
    static let aes256CBC: [UInt8] = nistCiphers + [42]
    static let tripleDESCBC: [UInt8] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x03, 0x07]
    static let desCBC: [UInt8] = [0x2b, 0x0e, 0x03, 0x02, 0x07]

    // Key derivation
    static let pbkdf2: [UInt8] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x05, 0x0c]

    private static let pkcs1: [UInt8] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x01]
    private static let pkcs7: [UInt8] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x07]
    private static let pkcs9: [UInt8] = [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x09]
    private static let nistCiphers: [UInt8] = [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x01]
    private static let nistHashes: [UInt8] = [0x60, 0x86, 0x48, 0x01, 0x65, 0x03, 0x04, 0x02]
    private static let ecdsaWithSHA2: [UInt8] = [0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03]
}
