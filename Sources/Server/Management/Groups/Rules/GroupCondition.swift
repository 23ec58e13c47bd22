import Crypto
import Foundation

/// One thing that a rule asks of a device.
package enum GroupCondition: Sendable, Hashable {
    case fact(RuleFact, Test)
    /// The device is among so many of a hundred, by a hash of it and the salt: always the same ones, and with a higher
    /// number these and others.
    case shard(percent: Int, salt: String)

    package enum Test: Sendable, Hashable {
        /// The device has it, or is so.
        case present
        case equals(String)
        case begins(String)
        case ends(String)
        case contains(String)
        case version(Order, SystemVersion)
    }

    /// How versions are compared, number by number.
    package enum Order: String, Sendable, CaseIterable {
        case below = "<"
        case atMost = "<="
        case above = ">"
        case atLeast = ">="
    }

    package func matches(_ facts: RuleFacts) -> Bool {
        switch self {
        case .shard(let percent, let salt): facts.shard(salt) < percent
        case .fact(let fact, let test): facts.values[fact].map { test.matches($0, isVersion: fact.isVersion) } ?? false
        }
    }

    /// What the device has of it.
    func found(in facts: RuleFacts) -> String? {
        switch self {
        case .shard(_, let salt): "\(facts.shard(salt) + 1)%"
        case .fact(let fact, _): facts.values[fact]
        }
    }
}

extension GroupCondition.Test {
    func matches(_ value: String, isVersion: Bool) -> Bool {
        switch self {
        case .present: return true
        case .equals(let text):
            guard text != value else { return true }
            guard isVersion, let wanted = SystemVersion(text) else { return false }
            // What goes on behind its numbers is another version.
            return SystemVersion(value) == wanted
        case .begins(let text): return value.hasPrefix(text)
        case .ends(let text): return value.hasSuffix(text)
        case .contains(let text): return value.contains(text)
        case .version(let order, let version):
            guard let found = SystemVersion(saidBy: value) else { return false }
            return switch order {
            case .below: found < version
            case .atMost: found <= version
            case .above: found > version
            case .atLeast: found >= version
            }
        }
    }

    /// What is compared with, as it is written.
    var value: String? {
        switch self {
        case .present: nil
        case .equals(let text), .begins(let text), .ends(let text), .contains(let text): text
        case .version(_, let version): version.description
        }
    }
}

/// What is known of a device, as far as rules ask.
package struct RuleFacts: Sendable, Equatable {
    package let device: String
    /// What is not known has no value.
    package var values: [RuleFact: String]

    package init(device: String, values: [RuleFact: String] = [:]) {
        self.device = device
        self.values = values
    }

    /// From 0 to 99: the same for the same device and salt, on every machine and forever.
    package func shard(_ salt: String) -> Int {
        var hash = SHA256()
        ManifestCompiler.update(&hash, with: [Data("shard".utf8), Data(salt.utf8), Data(device.utf8)])
        let number = hash.finalize().prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return Int(number % 100)
    }
}
