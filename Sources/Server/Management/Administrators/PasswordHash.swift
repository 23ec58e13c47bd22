package import Foundation

/// A password's salted Argon2id tag, as the text of the PHC string format, which names its own cost.
///
/// Texts that scrypt made before are still read; what is made is Argon2id.
package struct PasswordHash: Sendable {
    package let text: String

    package init(of password: String, salt: Data, cost: Argon2id.Cost) throws {
        let tag = try Argon2id.tag(of: Data(password.utf8), salt: salt, cost: cost)
        text =
            "$argon2id$v=19$m=\(cost.memoryKiB),t=\(cost.passes),p=\(cost.lanes)$\(Self.base64(salt))$\(Self.base64(tag))"
    }

    /// Stands where somebody has no password: no password matches it.
    package static let none = "none"

    /// Whether a password is the one whose hash this text is.
    package static func matches(_ password: String, text: String) throws -> Bool {
        guard text != none else { return false }
        if text.hasPrefix(ScryptHash.prefix) { return try ScryptHash.matches(password, text: text) }
        guard let parts = Parts(text) else { throw UnreadablePasswordHash() }
        let tag = try Argon2id.tag(
            of: Data(password.utf8), salt: parts.salt, cost: parts.cost, length: parts.tag.count)
        return areEqualInConstantTime(tag, parts.tag)
    }

    /// Whether a text was made in another way or at another cost than is used now.
    package static func isOutdated(_ text: String, cost: Argon2id.Cost) -> Bool {
        text != none && Parts(text)?.cost != cost
    }

    static func areEqualInConstantTime(_ left: Data, _ right: Data) -> Bool {
        guard left.count == right.count else { return false }
        return zip(left, right).reduce(UInt8(0)) { $0 | ($1.0 ^ $1.1) } == 0
    }

    /// Base 64 without padding, as the format has it.
    private static func base64(_ data: Data) -> String {
        String(data.base64EncodedString().prefix { $0 != "=" })
    }

    /// What a text says.
    private struct Parts {
        let cost: Argon2id.Cost
        let salt: Data
        let tag: Data

        init?(_ text: String) {
            let parts = text.split(separator: "$", omittingEmptySubsequences: false)
            guard parts.count == 6, parts[0].isEmpty, parts[1] == "argon2id", parts[2] == "v=19" else { return nil }
            let numbers = parts[3].split(separator: ",").map { $0.split(separator: "=", maxSplits: 1) }
            guard numbers.map(\.first) == ["m", "t", "p"], let memory = numbers[0].last.flatMap({ Int($0) }),
                let passes = numbers[1].last.flatMap({ Int($0) }), let lanes = numbers[2].last.flatMap({ Int($0) }),
                let salt = Self.data(parts[4]), let tag = Self.data(parts[5]), (8...64).contains(salt.count),
                (16...64).contains(tag.count)
            else { return nil }
            cost = Argon2id.Cost(memoryKiB: memory, passes: passes, lanes: lanes)
            guard cost.isWithinBounds else { return nil }
            (self.salt, self.tag) = (salt, tag)
        }

        private static func data(_ text: Substring) -> Data? {
            guard !text.contains("=") else { return nil }
            return Data(base64Encoded: text + String(repeating: "=", count: (4 - text.count % 4) % 4))
        }
    }
}

/// The stored text of a password hash is damaged.
struct UnreadablePasswordHash: Error {}
