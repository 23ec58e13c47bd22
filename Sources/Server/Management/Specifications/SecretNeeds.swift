package import AppSpecification

/// Which secrets assignments do not give that the app says it needs, and which are of another kind than it asks for.
///
/// They are warned of and nothing is refused: a secret may be assigned after the app, and another group of a device may
/// give it.
package struct SecretNeeds: Sendable, Equatable {
    /// Assignments of secrets that are looked at, in pages.
    static let mostPages = 20

    /// A sentence each.
    package let warnings: [String]

    package init(of specification: AppSpecification, in assignments: [Assignment], given: [SecretSlot]) {
        var groups: [Lack: [String]] = [:]
        var order: [Lack] = []
        let slots = Dictionary(grouping: given, by: \.group)
        func note(_ lack: Lack, _ group: String) {
            if groups[lack] == nil { order.append(lack) }
            groups[lack, default: []].append(group)
        }
        for assignment in assignments.sorted(by: { $0.group < $1.group }) {
            let parts: [(String?, AppSpecification)] =
                [(nil, specification)]
                + assignment.extensions.keys.sorted().compactMap { name in
                    specification.extensions[name].map { (name, $0) }
                }
            for (name, part) in parts {
                let its = (slots[assignment.group] ?? []).filter { $0.extension == name }
                for lack in Self.lacks(of: part, given: its) { note(lack.of(name), assignment.group) }
            }
        }
        warnings = order.map { $0.sentence(groups[$0] ?? []) }
    }

    private static func lacks(of part: AppSpecification, given: [SecretSlot]) -> [Lack] {
        let present = given.compactMap { slot in
            SpecifiedSecret.Kind(rawValue: slot.kind.rawValue).map { (kind: $0, identifier: slot.identifier) }
        }
        let missing = part.missing(among: present).map { Lack(secret: $0) }
        let others = present.compactMap { slot -> Lack? in
            let wanted = part.secrets.filter { $0.names(slot.identifier) }
            guard let first = wanted.first, !wanted.contains(where: { $0.kind == slot.kind }) else { return nil }
            return Lack(secret: first, given: slot.kind, as: slot.identifier)
        }
        return missing + others
    }
}

/// One secret that is missing, or that is there and of another kind.
private struct Lack: Hashable {
    let secret: SpecifiedSecret
    var given: SpecifiedSecret.Kind?
    var identifier: String?
    var who = "the app"

    init(secret: SpecifiedSecret, given: SpecifiedSecret.Kind? = nil, as identifier: String? = nil) {
        self.secret = secret
        self.given = given
        self.identifier = identifier
    }

    func of(_ extensionName: String?) -> Lack {
        var other = self
        if let extensionName { other.who = "the extension \(extensionName)" }
        return other
    }

    func sentence(_ groups: [String]) -> String {
        let (who, verb) =
            groups.count == 1
            ? ("The group \(groups[0])", "gives") : ("The groups \(groups.joined(separator: ", "))", "give")
        if let given, let identifier {
            return "\(who) \(verb) \(self.who) \(Self.word(given)) as “\(identifier)”, where it asks for "
                + "\(Self.word(secret.kind))."
        }
        let wanted =
            secret.isPrefix
            ? "any \(secret.kind.rawValue) whose identifier begins with “\(secret.identifier)”"
            : "the \(secret.kind.rawValue) “\(secret.identifier)”"
        let purpose = secret.purpose.map { ": \($0)" } ?? "."
        return "\(who) \(groups.count == 1 ? "does" : "do") not give \(self.who) \(wanted), which it needs\(purpose)"
    }

    private static func word(_ kind: SpecifiedSecret.Kind) -> String {
        switch kind {
        case .password: "a password"
        case .certificate: "a certificate"
        case .identity: "an identity"
        }
    }
}
