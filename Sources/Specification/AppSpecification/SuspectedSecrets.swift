import Foundation
package import InputBounds
package import JSONSchema

/// A value of a configuration that looks like a secret.
package struct SuspectedSecret: Sendable, Equatable {
    /// Why it looks like one.
    package enum Sign: Sendable, Equatable {
        case privateKey
        case pkcs12
        case passwordInAddress
        case name
    }

    /// Its rule in a `ConfigurationFinding`.
    package static let rule = "suspectedSecret"

    package let path: InstancePath
    package let sign: Sign

    /// The finding that refuses it in a defaults dictionary; holds no value.
    package var finding: ConfigurationFinding {
        let reason =
            switch sign {
            case .privateKey: "it holds a private key"
            case .pkcs12: "it is a PKCS #12 file, as private keys are kept in"
            case .passwordInAddress: "it holds an address with a password"
            case .name: "by the name of its key"
            }
        return ConfigurationFinding(
            .error, path, Self.rule,
            "looks like a secret, \(reason); a defaults dictionary is readable while the device is locked",
            suggestion: "Leave the key out and assign its value to the app as a secret, or have the framework deliver "
                + "the configuration")
    }
}

/// Values of a configuration that look like secrets, whatever the app's specification says of them.
package enum SuspectedSecrets {
    private static let words = [
        "password", "passwd", "passphrase", "passcode", "secret", "token", "privatekey", "apikey", "credential",
    ]
    // Words in which one of these stands for something else.
    private static let otherWords = ["secretar", "tokeniz", "tokenis", "passwordless"]
    // A key with such an ending describes a secret and does not hold it.
    private static let harmlessEndings = [
        "url", "uri", "endpoint", "hint", "policy", "label", "identifier", "length", "type", "format", "expiry",
        "expiration", "lifetime", "timeout", "issuer", "audience", "prompt", "placeholder", "provider", "manager",
        "rules", "name", "file", "path", "title", "message", "description", "mode", "required", "enabled",
    ]
    private static let privateKeys = ["PRIVATE KEY-----", "PRIVATE KEY BLOCK-----"]
    // Where a PEM file begins that is in Base64 once more, and how much of it holds its first line.
    private static let encodedBeginning = "LS0tLS1CRUdJTi"
    private static let encodedLine = 64
    private static let endsOfHost: Set<Character> = ["/", "?", "#", " ", "\t", "\n", "\r\n", "\"", "'", "<", ">"]

    /// Those of a configuration, in the order of the keys.
    package static func all(in root: PropertyListValue) -> [SuspectedSecret] {
        var found: [SuspectedSecret] = []
        look(at: root, "", [], &found)
        return found
    }

    /// Where they stand, in the order of the keys.
    package static func paths(in root: PropertyListValue) -> [InstancePath] { all(in: root).map(\.path) }

    /// `name` is the key under which the value stands, or the list that it is in.
    private static func look(
        at value: PropertyListValue, _ name: String, _ steps: [InstanceStep], _ found: inout [SuspectedSecret]
    ) {
        switch value {
        case .dictionary(let members):
            for (name, member) in members.sorted(by: { $0.key < $1.key }) {
                look(at: member, name, steps + [.key(name)], &found)
            }
        case .array(let items):
            for (index, item) in items.enumerated() { look(at: item, name, steps + [.index(index)], &found) }
        case .string(let text):
            if let sign = sign(of: text, under: name) {
                found.append(SuspectedSecret(path: InstancePath(steps), sign: sign))
            }
        case .data(let bytes):
            if let sign = sign(of: bytes, under: name) {
                found.append(SuspectedSecret(path: InstancePath(steps), sign: sign))
            }
        // A number or a truth about a password, such as how long it has to be, is none.
        case .integer, .unsigned, .real, .boolean, .date: return
        }
    }

    private static func sign(of text: String, under name: String) -> SuspectedSecret.Sign? {
        if text.isEmpty { return nil }
        if holdsPrivateKey(text) { return .privateKey }
        if PKCS12Beginning.isIn(text) { return .pkcs12 }
        if holdsPasswordInAddress(text) { return .passwordInAddress }
        return isSecretName(name) ? .name : nil
    }

    private static func sign(of bytes: Data, under name: String) -> SuspectedSecret.Sign? {
        if bytes.isEmpty { return nil }
        if privateKeys.contains(where: { bytes.firstRange(of: Data($0.utf8)) != nil }) { return .privateKey }
        if PKCS12Beginning.isIn(bytes) { return .pkcs12 }
        return isSecretName(name) ? .name : nil
    }

    private static func holdsPrivateKey(_ text: String) -> Bool {
        if privateKeys.contains(where: { text.contains($0) }) { return true }
        guard text.hasPrefix(encodedBeginning), let line = Data(base64Encoded: String(text.prefix(encodedLine))) else {
            return false
        }
        return line.firstRange(of: Data("PRIVATE KEY".utf8)) != nil
    }

    /// Whether there is an address such as `https://user:password@host` in a text.
    private static func holdsPasswordInAddress(_ text: String) -> Bool {
        guard text.utf8.contains(UInt8(ascii: "@")) else { return false }
        return text.ranges(of: "://").contains { range in
            let host = text[range.upperBound...].prefix { !endsOfHost.contains($0) }
            guard let end = host.lastIndex(of: "@") else { return false }
            let account = host[..<end]
            guard let colon = account.firstIndex(of: ":") else { return false }
            return account.index(after: colon) < account.endIndex
        }
    }

    private static func isSecretName(_ name: String) -> Bool {
        var word = name.lowercased().filter { $0.isLetter || $0.isNumber }
        guard !harmlessEndings.contains(where: { word.hasSuffix($0) }) else { return false }
        for other in otherWords { word = word.replacing(other, with: "") }
        return words.contains { word.contains($0) }
    }
}
