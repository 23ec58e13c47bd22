import Crypto
package import Foundation

/// Numbers of algorithms (TPM 2.0 Library, part 2, 6.3).
package enum TPMAlgorithm: UInt16, Sendable {
    case rsa = 0x0001
    case hmac = 0x0005
    case aes = 0x0006
    case keyedHash = 0x0008
    case sha256 = 0x000b
    case sha384 = 0x000c
    case sha512 = 0x000d
    case null = 0x0010
    case rsaPKCS1Signature = 0x0014
    case rsaPKCS1Encryption = 0x0015
    case rsaPSS = 0x0016
    case oaep = 0x0017
    case ecdsa = 0x0018
    case ecdh = 0x0019
    case ecc = 0x0023
    case cfb = 0x0043
}

/// A hash that a TPM names objects with, signs with and derives keys with.
package enum TPMHash: UInt16, Sendable, CaseIterable {
    case sha256 = 0x000b
    case sha384 = 0x000c
    case sha512 = 0x000d

    package var size: Int {
        switch self {
        case .sha256: 32
        case .sha384: 48
        case .sha512: 64
        }
    }

    package func hash(_ data: Data) -> Data {
        switch self {
        case .sha256: Data(SHA256.hash(data: data))
        case .sha384: Data(SHA384.hash(data: data))
        case .sha512: Data(SHA512.hash(data: data))
        }
    }

    package func authenticate(_ data: Data, key: Data) -> Data {
        let key = SymmetricKey(data: key)
        return switch self {
        case .sha256: Data(HMAC<SHA256>.authenticationCode(for: data, using: key))
        case .sha384: Data(HMAC<SHA384>.authenticationCode(for: data, using: key))
        case .sha512: Data(HMAC<SHA512>.authenticationCode(for: data, using: key))
        }
    }
}

/// A curve with its number in TPMs.
package enum TPMCurve: UInt16, Sendable {
    case p256 = 0x0003
    case p384 = 0x0004

    /// Of one coordinate, in bytes.
    package var size: Int { self == .p256 ? 32 : 48 }
}

/// What an object in a TPM is and may do (TPMA_OBJECT).
package struct TPMAttributes: OptionSet, Sendable, Hashable {
    package let rawValue: UInt32

    package init(rawValue: UInt32) {
        self.rawValue = rawValue
    }

    /// It never leaves the chip.
    package static let fixedTPM = TPMAttributes(rawValue: 1 << 1)
    /// It never gets another parent.
    package static let fixedParent = TPMAttributes(rawValue: 1 << 4)
    /// The chip made the secret part itself.
    package static let sensitiveDataOrigin = TPMAttributes(rawValue: 1 << 5)
    package static let userWithAuth = TPMAttributes(rawValue: 1 << 6)
    package static let adminWithPolicy = TPMAttributes(rawValue: 1 << 7)
    /// Wrong passwords do not count towards a lockout.
    package static let noDictionaryAttack = TPMAttributes(rawValue: 1 << 10)
    /// Signs, or decrypts, only what the chip itself made.
    package static let restricted = TPMAttributes(rawValue: 1 << 16)
    package static let decrypt = TPMAttributes(rawValue: 1 << 17)
    package static let sign = TPMAttributes(rawValue: 1 << 18)
}
