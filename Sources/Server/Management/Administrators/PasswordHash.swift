import Crypto
import CryptoExtras
package import Foundation

/// A password's salted scrypt hash, as text that names its own cost.
package struct PasswordHash: Sendable {
    /// The work of one check.
    package struct Cost: Sendable {
        package let rounds: Int
        package let blockSize: Int
        package let parallelism: Int

        /// 32 MiB and some 100 ms: the OWASP recommendation for interactive log-ins.
        package static let standard = Cost(rounds: 1 << 15, blockSize: 8, parallelism: 3)

        package init(rounds: Int, blockSize: Int, parallelism: Int) {
            self.rounds = rounds
            self.blockSize = blockSize
            self.parallelism = parallelism
        }
    }

    package let text: String

    package init(of password: String, salt: Data, cost: Cost) throws {
        let key = try Self.derive(password, salt: salt, cost: cost)
        text =
            "scrypt$\(cost.rounds)$\(cost.blockSize)$\(cost.parallelism)$\(salt.base64EncodedString())$"
            + key.base64EncodedString()
    }

    /// Whether a password is the one whose hash this text is.
    package static func matches(_ password: String, text: String) throws -> Bool {
        let parts = text.split(separator: "$", omittingEmptySubsequences: false)
        guard parts.count == 6, parts[0] == "scrypt", let rounds = Int(parts[1]), let blockSize = Int(parts[2]),
            let parallelism = Int(parts[3]), let salt = Data(base64Encoded: String(parts[4])),
            let expected = Data(base64Encoded: String(parts[5]))
        else { throw UnreadablePasswordHash() }
        let cost = Cost(rounds: rounds, blockSize: blockSize, parallelism: parallelism)
        return areEqualInConstantTime(try derive(password, salt: salt, cost: cost), expected)
    }

    private static func derive(_ password: String, salt: Data, cost: Cost) throws -> Data {
        let key = try KDF.Scrypt.deriveKey(
            from: Data(password.utf8), salt: salt, outputByteCount: 32, rounds: cost.rounds,
            blockSize: cost.blockSize, parallelism: cost.parallelism, maxMemory: 128 << 20)
        return unsafe key.withUnsafeBytes { bytes in unsafe Data(bytes) }
    }

    private static func areEqualInConstantTime(_ left: Data, _ right: Data) -> Bool {
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }
}

/// The stored text of a password hash is damaged.
struct UnreadablePasswordHash: Error {}
