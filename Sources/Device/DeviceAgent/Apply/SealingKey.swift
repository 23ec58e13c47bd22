import Crypto
package import Foundation

/// The key under which this device keeps everything: only its owner can read it, and it never leaves the directory.
///
/// It lies in a file that only its owner can read, or sealed by a guard that alone can unseal it.
package struct SealingKey: Sendable {
    private static let header = Data("martlet sealed 1\n".utf8)

    private let key: SymmetricKey

    /// Whether a copy of the directory is worthless without the guard.
    package let isGuarded: Bool

    private init(_ bytes: Data, isGuarded: Bool) {
        key = SymmetricKey(data: bytes)
        self.isGuarded = isGuarded
    }

    /// Reads the key of a directory, and makes it at first use.
    ///
    /// A directory that holds sealed files but no key is an error: a new key would only hide that the old one is lost.
    package static func open(
        in directory: String, mayCreate: Bool, steps: any FileSteps, guardedBy keeper: (any StoreGuard)? = nil
    ) throws -> SealingKey {
        let (plain, guarded) = (directory + "/device.key", directory + "/device.sealed-key")
        if let sealed = try steps.read(guarded, limit: 4_096) {
            guard let keeper else { throw StoreRefusal.guardMissing }
            let bytes = try keeper.unseal(sealed)
            defer { bytes.wipe() }
            guard bytes.count == 32 else { throw StoreRefusal.keyUnusable }
            return SealingKey(bytes, isGuarded: true)
        }
        if let bytes = try steps.read(plain, limit: 32) {
            guard bytes.count == 32 else { throw StoreRefusal.keyUnusable }
            return SealingKey(bytes, isGuarded: false)
        }
        guard mayCreate else { throw StoreRefusal.keyMissing }
        let bytes = unsafe SymmetricKey(size: .bits256).withUnsafeBytes { unsafe Data($0) }
        let (path, contents) = keeper == nil ? (plain, bytes) : (guarded, try keeper?.seal(bytes) ?? bytes)
        try steps.replace(path, with: contents, temporary: path + ".new", in: directory)
        return SealingKey(bytes, isGuarded: keeper != nil)
    }

    /// Encrypts `plain`; only `open` with the same purpose gives it back.
    package func seal(_ plain: Data, purpose: String) throws -> Data {
        let box = try AES.GCM.seal(plain, using: key, authenticating: Data(purpose.utf8))
        guard let combined = box.combined else { throw StoreRefusal.torn }
        return Self.header + combined
    }

    /// Decrypts what `seal` made; a changed, torn or exchanged file is refused.
    package func open(_ sealed: Data, purpose: String) throws(StoreRefusal) -> Data {
        guard sealed.prefix(Self.header.count) == Self.header else { throw .torn }
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
        // Two of these belong to each secret that an app asks for.
        var text: [UInt8] = []
        text.reserveCapacity(2 * count)
        for byte in self {
            text.append(Self.digit(byte >> 4))
            text.append(Self.digit(byte & 15))
        }
        return String(decoding: text, as: UTF8.self)
    }

    private static func digit(_ value: UInt8) -> UInt8 {
        value < 10 ? UInt8(ascii: "0") + value : UInt8(ascii: "a") - 10 + value
    }

    /// The SHA-256 of these bytes in hexadecimal digits.
    package var digest: String { Data(SHA256.hash(data: self)).hexadecimal }
}

/// Why a store cannot be used.
package enum StoreRefusal: Error, Equatable {
    case keyMissing
    case keyUnusable
    /// The key was sealed by a guard that was not named.
    case guardMissing
    /// The key was sealed by another guard.
    case otherGuard
    case torn
    case noWholeGeneration
    case blobMissing
    case inUse
    case tooLarge
}

extension StoreRefusal: CustomStringConvertible {
    package var description: String {
        switch self {
        case .keyMissing: "the key of the agent's directory is missing"
        case .keyUnusable: "the key of the agent's directory is damaged"
        case .guardMissing: "the key of the agent's directory is held by a TPM, and this agent was started without one"
        case .otherGuard: "the key of the agent's directory is held by another TPM, or this one was cleared"
        case .torn: "a file of the agent's directory is torn or changed"
        case .noWholeGeneration: "no generation in the agent's directory is whole"
        case .blobMissing: "a content of the agent's directory is missing"
        case .inUse: "another agent works in the directory"
        case .tooLarge: "the agent's state is larger than the agent could read again"
        }
    }
}
