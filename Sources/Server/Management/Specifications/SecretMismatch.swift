package import AppSpecification
import InputBounds

/// Why an app does not ask for a secret in its place, by the specifications that it published.
package struct SecretMismatch: Sendable, Equatable {
    /// Identifiers that are named where none is like the one that was given.
    private static let mostNamed = 8

    static let unknown = "unknownSecret"

    /// `unknownSecret` or `secretKind`.
    package let rule: String
    package let identifier: String
    /// For people, without a full stop.
    package let message: String
    package let suggestion: String?

    /// Nothing where a version of the app, or of the extension, asks for such a secret, and where none says for which it
    /// asks.
    ///
    /// - Parameters:
    ///   - slot: where the secret would be.
    ///   - published: what the app published, the newest version first.
    /// - Returns: why it is refused.
    package static func of(_ slot: SecretSlot, by published: [AppSpecification]) -> SecretMismatch? {
        let asked = published.flatMap { specification -> [SpecifiedSecret] in
            slot.extension.map { specification.extensions[$0]?.secrets ?? [] } ?? specification.secrets
        }
        guard !asked.isEmpty, let kind = SpecifiedSecret.Kind(rawValue: slot.kind.rawValue) else { return nil }
        let named = asked.filter { $0.names(slot.identifier) }
        guard !named.contains(where: { $0.kind == kind }) else { return nil }
        if let wanted = named.first {
            return SecretMismatch(
                rule: "secretKind", identifier: slot.identifier,
                message: "the app asks for \(word(wanted.kind)) of this identifier; found \(word(kind))",
                suggestion: nil)
        }
        return SecretMismatch(
            rule: unknown, identifier: slot.identifier,
            message: "the app asks for no secret of this identifier",
            suggestion: suggestion(for: slot.identifier, among: asked))
    }

    private static func suggestion(for identifier: String, among asked: [SpecifiedSecret]) -> String {
        let whole = Set(asked.filter { !$0.isPrefix }.map(\.identifier))
        if let nearest = NearestWord.to(identifier, among: whole) { return "Did you mean \"\(nearest)\"?" }
        let all = Set(asked.map { "\"\($0.identifier)\(end(of: $0))\" (\($0.kind.rawValue))" }).sorted()
        let rest = all.count > mostNamed ? " and \(all.count - mostNamed) more" : ""
        return "It asks for " + all.prefix(mostNamed).joined(separator: ", ") + rest
    }

    private static func end(of secret: SpecifiedSecret) -> String { secret.isPrefix ? "…" : "" }

    private static func word(_ kind: SpecifiedSecret.Kind) -> String {
        switch kind {
        case .password: "a password"
        case .certificate: "a certificate"
        case .identity: "an identity"
        }
    }
}

extension Management {
    /// Why the app does not ask for a secret in this place; nothing where it does, or where it published nothing of it.
    ///
    /// An app may also ask under an identifier that its configuration tells it: then one of its configurations has it.
    func mismatch(of slot: SecretSlot) async throws -> SecretMismatch? {
        let published = try await published(by: slot.app).map(\.specification)
        guard let found = SecretMismatch.of(slot, by: published) else { return nil }
        guard found.rule == SecretMismatch.unknown else { return found }
        return try await isNamed(slot.identifier, inConfigurationsOf: slot.app) ? nil : found
    }

    private func isNamed(_ identifier: String, inConfigurationsOf app: String) async throws -> Bool {
        let page = PageRequest(limit: PageRequest.largest)
        for configuration in try await store.configurations(of: app, page).value?.items ?? [] {
            guard let document = try await store.configuration(app: app, name: configuration.name, version: nil),
                let root = try? PropertyListValue(parsing: document.bytes, limits: .configuration)
            else { continue }
            if root.holds(identifier) { return true }
        }
        return false
    }
}

extension PropertyListValue {
    /// Whether this text is one of its values, at any depth.
    fileprivate func holds(_ text: String) -> Bool {
        switch self {
        case .string(let own): own == text
        case .array(let values): values.contains { $0.holds(text) }
        case .dictionary(let values): values.values.contains { $0.holds(text) }
        default: false
        }
    }
}
