package import AppSpecification
import Foundation
package import InputBounds
import JSONSchema

/// What a configuration holds that does not belong into a defaults dictionary, which is readable while the device is
/// locked and by whatever reads the app's user defaults.
package struct DefaultsContent: Sendable, Equatable {
    /// A key that an app marks as sensitive, and the version of its specification that does.
    package struct MarkedKey: Sendable, Equatable {
        /// `server.key`; empty for the configuration as a whole.
        package let path: String
        package let version: String
    }

    /// The first that is found: what one says is enough to refuse it.
    package let marked: MarkedKey?
    /// The paths of values that look like secrets, in order.
    package let suspected: [String]

    // As many paths are named in a sentence, and as long ones.
    private static let mostNamed = 5
    private static let longestPath = 128

    package init(
        of root: PropertyListValue, by specifications: [(version: String, specification: AppSpecification)]
    ) {
        var marked: MarkedKey?
        for (version, specification) in specifications where marked == nil {
            guard let steps = Self.sensitiveKey(in: root, specification.configuration, []) else { continue }
            marked = MarkedKey(path: InstancePath(steps).description, version: version)
        }
        self.marked = marked
        var found: [[InstanceStep]] = []
        Self.suspect(root, "", [], &found)
        suspected = found.map { InstancePath($0).description }
    }

    /// What keeps it from being delivered so: there is a place for secrets, and this is none.
    package var refusal: AdminRefusal? {
        guard let marked else { return nil }
        let key = marked.path.isEmpty ? "the whole configuration" : "the key “\(Self.shown(marked.path))”"
        return .invalid(
            rule: "Version \(marked.version) of the app marks \(key) as sensitive, and a defaults dictionary is "
                + "readable while the device is locked. Deliver the configuration by the framework, or leave the key "
                + "out and assign its value as a secret.")
    }

    package var warnings: [String] {
        guard !suspected.isEmpty else { return [] }
        let named = suspected.prefix(Self.mostNamed).map { "“\(Self.shown($0))”" }.joined(separator: ", ")
        let more = suspected.count > Self.mostNamed ? " and \(suspected.count - Self.mostNamed) more" : ""
        return [
            "A defaults dictionary is readable while the device is locked, and these values look like secrets: "
                + "\(named)\(more). Assign them as secrets instead, or deliver the configuration by the framework."
        ]
    }

    private static func shown(_ path: String) -> String {
        path.count > longestPath ? String(path.prefix(longestPath)) + "…" : path
    }

    // MARK: Keys that are marked

    private static func sensitiveKey(
        in value: PropertyListValue, _ key: SpecifiedKey, _ steps: [InstanceStep]
    ) -> [InstanceStep]? {
        if key.isSensitive { return steps }
        switch value {
        case .dictionary(let members):
            for (name, member) in members.sorted(by: { $0.key < $1.key }) {
                guard let inner = key[name] ?? key.values.first else { continue }
                if let found = sensitiveKey(in: member, inner, steps + [.key(name)]) { return found }
            }
            return nil
        case .array(let items):
            guard let inner = key.item.first else { return nil }
            for (index, item) in items.enumerated() {
                if let found = sensitiveKey(in: item, inner, steps + [.index(index)]) { return found }
            }
            return nil
        default: return nil
        }
    }

    // MARK: Values that look like secrets

    private static let secretWords = [
        "password", "passwd", "passphrase", "passcode", "secret", "token", "privatekey", "apikey", "credential",
    ]
    // A key with such an ending describes a secret and does not hold it.
    private static let harmlessEndings = ["url", "uri", "endpoint", "hint", "policy", "label", "identifier"]
    private static let privateKey = "PRIVATE KEY-----"

    /// `name` is the key under which the value stands, or the list that it is in.
    private static func suspect(
        _ value: PropertyListValue, _ name: String, _ steps: [InstanceStep], _ found: inout [[InstanceStep]]
    ) {
        switch value {
        case .dictionary(let members):
            for (name, member) in members.sorted(by: { $0.key < $1.key }) {
                suspect(member, name, steps + [.key(name)], &found)
            }
        case .array(let items):
            for (index, item) in items.enumerated() { suspect(item, name, steps + [.index(index)], &found) }
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
        return secretWords.contains { word.contains($0) }
    }
}
