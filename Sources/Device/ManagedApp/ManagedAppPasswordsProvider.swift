import AppMessages

/// Delivers the passwords that an administrator provisioned for this app.
public class ManagedAppPasswordsProvider {
    private let link: AgentLink

    /// Makes a provider; any number of them may exist.
    public init() {
        link = .shared
    }

    /// Makes a provider on a link of one's own.
    package init(link: AgentLink) {
        self.link = link
    }

    /// The identifiers of the provisioned passwords: the current ones at once, and again after each change.
    ///
    /// They come again, perhaps unchanged, when only a value has changed: make again what you made from a secret. The
    /// array is empty when nothing is provisioned. The sequence never ends by itself.
    public var identifiers: some AsyncSequence<[String], Never> {
        get async { SecretIdentifierSequence { [link] in link.subscribe(to: .password) } }
    }

    /// The password with the given identifier.
    ///
    /// Ask each time, and keep it no longer than needed.
    ///
    /// - Parameter identifier: An identifier of the app developer's choice.
    /// - Returns: The password as it is now.
    /// - Throws: ``ManagedAppError/invalidIdentifier`` when none is provisioned under this identifier now,
    ///   ``ManagedAppError/serverError`` or ``ManagedAppError/internalError`` when it could not be had.
    public func password(withIdentifier identifier: String) async throws(ManagedAppError) -> String {
        try await link.password(identifier)
    }
}
