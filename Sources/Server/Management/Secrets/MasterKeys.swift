package import Crypto
import Foundation
import Synchronization

/// The keys under which the keys of secrets are wrapped: the current one, and older ones that still open.
package struct MasterKeys: Sendable {
    /// One master key with the name under which what it wraps is kept.
    package struct Key: Sendable {
        /// Sixteen hexadecimal digits that follow from the key and do not betray it.
        package let id: String
        package let key: SymmetricKey

        init(_ key: SymmetricKey) {
            self.key = key
            var hash = SHA256()
            hash.update(data: Data("martlet master key\n".utf8))
            unsafe key.withUnsafeBytes { unsafe hash.update(bufferPointer: $0) }
            id = String(Hexadecimal.text(hash.finalize()).prefix(16))
        }
    }

    /// Re-wrapping leaves at most a few behind.
    package static let most = 16

    package let current: Key
    package let older: [Key]

    /// Reads keys as they stand in a file or in the environment: each 32 bytes in Base64, the current one
    /// first, with new lines, spaces or commas between them; a line may be a comment.
    package init(parsing text: String) throws(MasterKeyRefusal) {
        guard text.utf8.count <= 8_192 else { throw .tooMany }
        var keys: [Key] = []
        for line in text.split(whereSeparator: \.isNewline) where !line.hasPrefix("#") {
            for word in line.split(whereSeparator: { $0 == " " || $0 == "," }) {
                guard let bytes = Data(base64Encoded: String(word)), bytes.count == 32 else { throw .notAKey }
                keys.append(Key(SymmetricKey(data: bytes)))
            }
        }
        guard let first = keys.first else { throw .missing }
        guard keys.count <= Self.most else { throw .tooMany }
        current = first
        older = Array(keys.dropFirst())
    }

    /// The text of a new key.
    package static func newKeyText() -> String {
        unsafe SymmetricKey(size: .bits256).withUnsafeBytes { unsafe Data($0) }.base64EncodedString()
    }

    package func key(_ id: String) -> Key? {
        current.id == id ? current : older.first { $0.id == id }
    }
}

/// Why keys are not master keys.
package enum MasterKeyRefusal: Error, Sendable, Equatable {
    case missing
    case notAKey
    case tooMany
}

/// The master keys of a running server: read again when something is wrapped under a key that came later.
package final class MasterKeyRing: Sendable {
    private let keys: Mutex<MasterKeys>
    private let load: @Sendable () throws -> MasterKeys

    package init(load: @escaping @Sendable () throws -> MasterKeys) throws {
        self.load = load
        keys = Mutex(try load())
    }

    package var present: MasterKeys { keys.withLock { $0 } }

    /// The keys as they stand now where they are kept.
    @discardableResult
    package func reload() throws -> MasterKeys {
        let loaded = try load()
        keys.withLock { $0 = loaded }
        return loaded
    }
}
