import AppMessages

/// Delivers the certificates that an administrator provisioned for this app.
public class ManagedAppCertificatesProvider {
    private let link: AgentLink

    /// Makes a provider; any number of them may exist.
    public init() {
        link = .shared
    }

    /// Makes a provider on a link of one's own.
    package init(link: AgentLink) {
        self.link = link
    }

    /// The identifiers of the provisioned certificates: the current ones at once, and again after each change.
    ///
    /// They come again, perhaps unchanged, when only a value has changed: make again what you made from a secret. The
    /// array is empty when nothing is provisioned. The sequence never ends by itself.
    public var identifiers: some AsyncSequence<[String], Never> {
        get async { SecretIdentifierSequence { [link] in link.subscribe(to: .certificate) } }
    }

    /// The certificate with the given identifier.
    ///
    /// Ask each time, and keep it no longer than needed.
    ///
    /// - Parameter identifier: An identifier of the app developer's choice.
    /// - Returns: The certificate as it is now.
    /// - Throws: ``ManagedAppError/invalidIdentifier`` when none is provisioned under this identifier now,
    ///   ``ManagedAppError/serverError`` or ``ManagedAppError/internalError`` when it could not be had.
    public func certificate(withIdentifier identifier: String) async throws(ManagedAppError) -> SecCertificate {
        let der = try await link.certificate(identifier)
        // The agent delivers only valid certificates; an app that pins to one must never go on without it.
        guard let certificate = SecCertificate(der: der) else { throw .internalError }
        return certificate
    }
}
