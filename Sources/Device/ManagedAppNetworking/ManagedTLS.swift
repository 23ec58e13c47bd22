public import ManagedApp
public import NIOSSL

/// How an app proves itself to servers and knows them again: with what an administrator provisioned.
///
/// It names secrets and holds none: each configuration made from it has them as they are at that moment.
public struct ManagedTLS: Hashable, Sendable {
    /// The identifier of the identity to authenticate with, where a server asks for one.
    public var identity: String?

    /// Which servers to believe.
    public var trust: ServerTrust

    /// Names an identity and certificates.
    ///
    /// - Parameters:
    ///   - identity: The identifier of the identity to authenticate with.
    ///   - trust: Which servers to believe.
    public init(identity: String? = nil, trust: ServerTrust = .system) {
        self.identity = identity
        self.trust = trust
    }

    /// A configuration for the next connection, with the secrets as they are now.
    ///
    /// Two of them are equal as long as the secrets are the same, so that a pool keeps its connections until then.
    ///
    /// - Returns: The configuration: TLS 1.2 at least, the server always verified.
    /// - Throws: ``ManagedApp/ManagedAppError`` when the identity or a certificate cannot be had. There is no
    ///   configuration without them: an app that cannot prove itself, or cannot know the server, does not connect.
    public func configuration() async throws(ManagedAppError) -> TLSConfiguration {
        try await configuration(
            identities: ManagedAppIdentitiesProvider(), certificates: ManagedAppCertificatesProvider())
    }

    /// The same, from providers and with a system of one's own.
    package func configuration(
        identities: ManagedAppIdentitiesProvider, certificates: ManagedAppCertificatesProvider,
        system: NIOSSLTrustRoots = .default
    ) async throws(ManagedAppError) -> TLSConfiguration {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.minimumTLSVersion = .tlsv12
        configuration.certificateVerification = .fullVerification
        var anchors: [NIOSSLCertificate] = []
        for pin in trust.certificates { anchors.append(try certificate(pin)) }
        for identifier in trust.identifiers {
            anchors.append(try certificate(await certificates.certificate(withIdentifier: identifier)))
        }
        switch trust {
        case .system:
            configuration.trustRoots = system
        case .only:
            // An empty list trusts nobody.
            configuration.trustRoots = .certificates(anchors)
        case .also:
            configuration.trustRoots = system
            configuration.additionalTrustRoots = [.certificates(anchors)]
        }
        if let identity {
            let found = try await identities.identity(withIdentifier: identity)
            var chain: [NIOSSLCertificateSource] = []
            for link in found.certificateChain { chain.append(.certificate(try certificate(link))) }
            configuration.certificateChain = chain
            configuration.privateKey = .privateKey(
                NIOSSLPrivateKey(customPrivateKey: IdentityPrivateKey(found.privateKey)))
        }
        return configuration
    }

    // What TLS cannot read must not be left out in silence.
    private func certificate(_ certificate: SecCertificate) throws(ManagedAppError) -> NIOSSLCertificate {
        do {
            return try NIOSSLCertificate(bytes: [UInt8](certificate.derRepresentation), format: .der)
        } catch {
            throw .internalError
        }
    }
}
