import CryptoExtras
import Foundation

/// How passwords were kept before Argon2id: read until their owner logs in the next time, and not made any more.
enum ScryptHash {
    static let prefix = "scrypt$"

    static func matches(_ password: String, text: String) throws -> Bool {
        let parts = text.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 6, let rounds = Int(parts[1]), let blockSize = Int(parts[2]),
            let parallelism = Int(parts[3]), let salt = Data(base64Encoded: String(parts[4])),
            let expected = Data(base64Encoded: String(parts[5]))
        else { throw UnreadablePasswordHash() }
        let key = try KDF.Scrypt.deriveKey(
            from: Data(password.utf8), salt: salt, outputByteCount: 32, rounds: rounds, blockSize: blockSize,
            parallelism: parallelism, maxMemory: 128 << 20)
        let tag = unsafe key.withUnsafeBytes { bytes in unsafe Data(bytes) }
        return PasswordHash.areEqualInConstantTime(tag, expected)
    }
}
