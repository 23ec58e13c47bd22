import CryptoExtras
package import Foundation

/// What a PKCS #12 file holds for us: one private key and its certificate with those that vouch for it.
package struct PKCS12Contents: Sendable {
    /// In DER: that of the key first, then each one's issuer as far as the file has it.
    package let certificates: [Data]
    package let key: SigningKey

    /// The private key as PKCS #8 in DER.
    package var privateKey: Data { key.pkcs8 }
    package var keyType: KeyType { key.keyType }
}

/// The family of a key, as profiles name it, with its size in bits.
package struct KeyType: Sendable, Hashable {
    package enum Family: String, Sendable {
        case rsa = "RSA"
        case ellipticCurve = "EC"
    }

    package let family: Family
    package let bits: Int

    package init(_ family: Family, bits: Int) {
        self.family = family
        self.bits = bits
    }
}

extension SigningKey {
    /// Of which family the key is, and how long.
    package var keyType: KeyType {
        switch self {
        case .rsa(let key): KeyType(.rsa, bits: key.keySizeInBits)
        case .p256: KeyType(.ellipticCurve, bits: 256)
        case .p384: KeyType(.ellipticCurve, bits: 384)
        }
    }
}

/// Bounds of what is read and computed.
package enum PKCS12Limits {
    /// A key with a chain of four takes about 10 KiB.
    package static let bytes = 262_144
    package static let passwordBytes = 1_024
    /// Windows writes 2,000, OpenSSL 2,048, Java up to 100,000, careful people 600,000.
    package static let iterations: Int64 = 1_000_000
    /// Of all derivations of one file together: about a second.
    package static let work: Int64 = 3_000_000
    static let safes = 16
    static let bags = 64
}

/// Why a PKCS #12 file is refused; nothing of the file or its password is repeated.
package enum PKCS12Refusal: String, Error, Sendable, CaseIterable {
    case tooLarge
    case tooMuchWork
    case malformed
    case unauthenticated
    case algorithm
    case password
    case damaged
    case notExactlyOneKey
    case key
    case certificate
    case library
}

extension PKCS12Refusal: CustomStringConvertible {
    package var description: String {
        switch self {
        case .tooLarge: "the file exceeds \(PKCS12Limits.bytes) bytes or one of its lists is too long"
        case .tooMuchWork:
            "the file demands more than \(PKCS12Limits.iterations) iterations, or \(PKCS12Limits.work) in all"
        case .malformed: "the file is not PKCS #12"
        case .unauthenticated: "the file is not protected by a password: it has no MAC"
        case .algorithm: "the file uses an algorithm that is never accepted"
        case .password: "the password does not open the file"
        case .damaged: "the password is right, but the file was damaged"
        case .notExactlyOneKey: "the file does not hold exactly one private key"
        case .key: "the private key is not RSA of 2048 bits or more, P-256 or P-384"
        case .certificate: "the file holds no certificate for its private key"
        case .library: "the cryptographic library failed"
        }
    }
}
