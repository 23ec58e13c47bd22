package import InputBounds

/// Why an app does not ask for a secret, by what it publishes.
package struct SecretFault: Sendable, Equatable {
    /// The rule that no secret of the identifier is asked for.
    package static let unknown = "unknownSecret"
    /// Identifiers that are named where none is like the one that was given.
    private static let mostNamed = 8

    /// `unknownSecret` or `secretKind`.
    package let rule: String
    /// For people, without a full stop.
    package let message: String
    package let suggestion: String?

    /// Nothing where one of the secrets that the app asks for is such a one, and where it says of none that it asks.
    package static func of(
        _ kind: SpecifiedSecret.Kind, _ identifier: String, among asked: [SpecifiedSecret]
    ) -> SecretFault? {
        let named = asked.filter { $0.names(identifier) }
        guard !asked.isEmpty, !named.contains(where: { $0.kind == kind }) else { return nil }
        if let wanted = named.first {
            return SecretFault(
                rule: "secretKind",
                message: "the app asks for \(word(wanted.kind)) of this identifier; found \(word(kind))",
                suggestion: nil)
        }
        return SecretFault(
            rule: unknown, message: "the app asks for no secret of this identifier",
            suggestion: suggestion(for: identifier, among: asked))
    }

    private static func suggestion(for identifier: String, among asked: [SpecifiedSecret]) -> String {
        let whole = Set(asked.filter { !$0.isPrefix }.map(\.identifier))
        if let nearest = NearestWord.to(identifier, among: whole) { return "Did you mean \"\(nearest)\"?" }
        let all = Set(asked.map { "\"\($0.identifier)\($0.isPrefix ? "…" : "")\" (\($0.kind.rawValue))" }).sorted()
        let rest = all.count > mostNamed ? " and \(all.count - mostNamed) more" : ""
        return "It asks for " + all.prefix(mostNamed).joined(separator: ", ") + rest
    }

    private static func word(_ kind: SpecifiedSecret.Kind) -> String {
        switch kind {
        case .password: "a password"
        case .certificate: "a certificate"
        case .identity: "an identity"
        }
    }
}

extension PropertyListValue {
    /// Whether this text is one of its values, at any depth.
    package func holds(_ text: String) -> Bool {
        switch self {
        case .string(let own): own == text
        case .array(let values): values.contains { $0.holds(text) }
        case .dictionary(let values): values.values.contains { $0.holds(text) }
        default: false
        }
    }
}
