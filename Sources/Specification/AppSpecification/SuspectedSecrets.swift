import Foundation
package import InputBounds
package import JSONSchema

/// Values of a configuration that look like secrets, whatever the app's specification says of them.
package enum SuspectedSecrets {
    private static let words = [
        "password", "passwd", "passphrase", "passcode", "secret", "token", "privatekey", "apikey", "credential",
    ]
    // A key with such an ending describes a secret and does not hold it.
    private static let harmlessEndings = ["url", "uri", "endpoint", "hint", "policy", "label", "identifier"]
    private static let privateKey = "PRIVATE KEY-----"

    /// Where they stand, in the order of the keys.
    package static func paths(in root: PropertyListValue) -> [InstancePath] {
        var found: [[InstanceStep]] = []
        look(at: root, "", [], &found)
        return found.map { InstancePath($0) }
    }

    /// `name` is the key under which the value stands, or the list that it is in.
    private static func look(
        at value: PropertyListValue, _ name: String, _ steps: [InstanceStep], _ found: inout [[InstanceStep]]
    ) {
        switch value {
        case .dictionary(let members):
            for (name, member) in members.sorted(by: { $0.key < $1.key }) {
                look(at: member, name, steps + [.key(name)], &found)
            }
        case .array(let items):
            for (index, item) in items.enumerated() { look(at: item, name, steps + [.index(index)], &found) }
        case .string(let text):
            if !text.isEmpty, isSecretName(name) || text.contains(privateKey) { found.append(steps) }
        case .data(let bytes):
            let isKey = bytes.firstRange(of: Data(privateKey.utf8)) != nil
            if !bytes.isEmpty, isSecretName(name) || isKey { found.append(steps) }
        // A number or a truth about a password, such as how long it has to be, is none.
        case .integer, .unsigned, .real, .boolean, .date: return
        }
    }

    private static func isSecretName(_ name: String) -> Bool {
        let word = name.lowercased().filter { $0.isLetter || $0.isNumber }
        guard !harmlessEndings.contains(where: { word.hasSuffix($0) }) else { return false }
        return words.contains { word.contains($0) }
    }
}
