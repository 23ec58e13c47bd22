package import AppMessages
import Crypto
package import Foundation

/// The value of a secret: what the sealed store keeps under its digest, and nothing else ever sees.
package enum SecretContent: Equatable, Sendable {
    case password(String)
    /// In DER.
    case certificate(Data)
    case identity(StoredIdentity)

    private enum Mark {
        static let password = UInt8(ascii: "p")
        static let certificate = UInt8(ascii: "c")
        static let identity = UInt8(ascii: "i")
    }

    /// Which of an app's three lists it is in.
    package var kind: SecretKind {
        switch self {
        case .password: .password
        case .certificate: .certificate
        case .identity: .identity
        }
    }

    /// Reads what `encoded` wrote.
    package init(parsing data: Data) throws(StoreRefusal) {
        let rest = data.dropFirst()
        switch data.first {
        case Mark.password:
            guard let text = String(validating: rest, as: UTF8.self) else { throw .torn }
            self = .password(text)
        case Mark.certificate: self = .certificate(Data(rest))
        case Mark.identity:
            guard let identity = try? JSONDecoder().decode(StoredIdentity.self, from: Data(rest)) else { throw .torn }
            self = .identity(identity)
        default: throw .torn
        }
    }

    /// The bytes to seal.
    package func encoded() throws -> Data {
        switch self {
        case .password(let text): Data([Mark.password]) + Data(text.utf8)
        case .certificate(let der): Data([Mark.certificate]) + der
        case .identity(let identity): try Data([Mark.identity]) + JSONEncoder().encode(identity)
        }
    }
}

// A secret that is printed by accident shows its kind alone.
extension SecretContent: CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
    package var description: String { "a secret: \(kind.rawValue)" }
    package var debugDescription: String { description }
    package var customMirror: Mirror { Mirror(self, children: []) }
}

/// An identity in the sealed store: certificates, and the key or what its chip needs.
package struct StoredIdentity: Codable, Equatable, Sendable {
    /// In DER, its own first.
    package let certificates: [Data]
    package let key: StoredKey
    package let hardwareBound: Bool
    package let attested: Bool

    package init(certificates: [Data], key: StoredKey, hardwareBound: Bool = false, attested: Bool = false) {
        self.certificates = certificates
        self.key = key
        self.hardwareBound = hardwareBound
        self.attested = attested
    }

    /// Names this key with this certificate, and after a renewal another.
    package var reference: String {
        certificates.first.map { Data(SHA256.hash(data: Data("martlet identity\n".utf8) + $0)).hexadecimal } ?? ""
    }
}

extension Data {
    /// Overwrites the bytes in place, for all values that share them, once the secret is no longer needed.
    ///
    /// Text that Swift has copied out of them cannot be reached.
    package func wipe() {
        unsafe withUnsafeBytes { bytes in
            guard let start = bytes.baseAddress else { return }
            unsafe explicit_bzero(UnsafeMutableRawPointer(mutating: start), bytes.count)
        }
    }
}
