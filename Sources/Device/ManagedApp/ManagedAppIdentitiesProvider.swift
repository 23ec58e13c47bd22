import AppMessages

/// Delivers the identities, certificates with their private keys, that an administrator provisioned for this app.
public class ManagedAppIdentitiesProvider {
    private let link: AgentLink

    /// Makes a provider; any number of them may exist.
    public init() {
        link = .shared
    }

    /// Makes a provider on a link of one's own.
    package init(link: AgentLink) {
        self.link = link
    }

    /// The identifiers of the provisioned identities: the current ones at once, and again after each change.
    ///
    /// The array is empty when nothing is provisioned. The sequence never ends by itself.
    public var identifiers: some AsyncSequence<[String], Never> {
        get async { SecretIdentifierSequence() }
    }

    /// The identity with the given identifier.
    ///
    /// Ask each time, and keep it no longer than needed.
    ///
    /// - Parameter identifier: An identifier of the app developer's choice.
    /// - Returns: The identity as it is now.
    /// - Throws: ``ManagedAppError/invalidIdentifier`` when none is provisioned under this identifier.
    public func identity(withIdentifier identifier: String) async throws(ManagedAppError) -> SecIdentity {
        _ = try await link.secret(.identity, identifier)
        // An agent that provisions identities is newer than this library.
        throw .internalError
    }
}
