import Crypto
package import Foundation

/// The key under which this device keeps everything: only its owner can read it, and it never leaves the directory.
///
/// The seam for what comes later: class keys wrapped by a TPM or a passcode replace `open`, nothing else.
package struct SealingKey: Sendable {
    private static let header = Data("martlet sealed 1\n".utf8)

    private let key: SymmetricKey

    private init(_ bytes: Data) { key = SymmetricKey(data: bytes) }

    /// Reads the key of a directory, and makes it at first use.
    ///
    /// A directory that holds sealed files but no key is an error: a new key would only hide that the old one is lost.
    package static func open(in directory: String, mayCreate: Bool, steps: any FileSteps) throws -> SealingKey {
        let path = directory + "/device.key"
        if let bytes = try steps.read(path, limit: 32) {
            guard bytes.count == 32 else { throw StoreRefusal.keyUnusable }
            return SealingKey(bytes)
        }
        guard mayCreate else { throw StoreRefusal.keyMissing }
        let bytes = unsafe SymmetricKey(size: .bits256).withUnsafeBytes { unsafe Data($0) }
        try steps.replace(path, with: bytes, temporary: path + ".new", in: directory)
        return SealingKey(bytes)
    }

    /// Encrypts `plain`; only `open` with the same purpose gives it back.
    package func seal(_ plain: Data, purpose: String) throws -> Data {
        let box = try AES.GCM.seal(plain, using: key, authenticating: Data(purpose.utf8))
        guard let combined = box.combined else { throw StoreRefusal.torn }
        return Self.header + combined
    }

    /// Decrypts what `seal` made; a changed, torn or exchanged file is refused.
    package func open(_ sealed: Data, purpose: String) throws(StoreRefusal) -> Data {
        guard sealed.starts(with: Self.header) else { throw .torn }
        do {
            let box = try AES.GCM.SealedBox(combined: sealed.dropFirst(Self.header.count))
            return try AES.GCM.open(box, using: key, authenticating: Data(purpose.utf8))
        } catch {
            throw .torn
        }
    }

    /// A name for a content that tells nobody without the key what the content is.
    package func name(of digest: String) -> String {
        let code = HMAC<SHA256>.authenticationCode(for: Data(digest.utf8), using: key)
        return Data(code).hexadecimal
    }
}

extension Data {
    /// Two lower-case digits for each byte.
    package var hexadecimal: String {
        map { byte in (byte < 16 ? "0" : "") + String(byte, radix: 16) }.joined()
    }

    /// The SHA-256 of these bytes in hexadecimal digits.
    package var digest: String { Data(SHA256.hash(data: self)).hexadecimal }
}

/// Why a store cannot be used.
package enum StoreRefusal: Error, Equatable {
    case keyMissing
    case keyUnusable
    case torn
    case noWholeGeneration
    case blobMissing
    case inUse
}
