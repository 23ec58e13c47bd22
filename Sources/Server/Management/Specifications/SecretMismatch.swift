package import AppSpecification
import InputBounds

/// Why an app does not ask for a secret in its place, by the specifications that it published.
package struct SecretMismatch: Sendable, Equatable {
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
        guard let kind = SpecifiedSecret.Kind(rawValue: slot.kind.rawValue),
            let fault = SecretFault.of(kind, slot.identifier, among: asked)
        else { return nil }
        return SecretMismatch(
            rule: fault.rule, identifier: slot.identifier, message: fault.message, suggestion: fault.suggestion)
    }
}

extension Management {
    /// Why the app does not ask for a secret in this place; nothing where it does, or where it published nothing of it.
    ///
    /// An app may also ask under an identifier that its configuration tells it: then one of its configurations has it.
    func mismatch(of slot: SecretSlot) async throws -> SecretMismatch? {
        let published = try await published(by: slot.app).map(\.specification)
        guard let found = SecretMismatch.of(slot, by: published) else { return nil }
        guard found.rule == SecretFault.unknown else { return found }
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
