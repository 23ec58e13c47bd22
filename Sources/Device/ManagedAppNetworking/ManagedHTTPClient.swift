public import AsyncHTTPClient
package import ManagedApp
public import NIOCore
package import NIOSSL

/// Asks servers over HTTP with an identity and certificates that an administrator provisioned.
///
/// ```swift
/// let client = ManagedHTTPClient(ManagedTLS(identity: "asset-server"))
/// let response = try await client.execute(HTTPClientRequest(url: url), timeout: .seconds(30))
/// let landmarks = try await response.body.collect(upTo: 1_048_576)
/// ```
///
/// The secrets are looked up for each request. Connections are kept while they stay the same; with a new identity the
/// next request goes over a new connection, and without one it is not sent.
///
/// Redirections are not followed: another server is another decision.
public final class ManagedHTTPClient: Sendable {
    private let tls: ManagedTLS
    private let link: AgentLink
    private let system: NIOSSLTrustRoots
    private let client: HTTPClient

    /// Prepares a client; nothing is looked up before the first request.
    ///
    /// - Parameter tls: The identity to authenticate with, and which servers to believe.
    public convenience init(_ tls: ManagedTLS) {
        self.init(tls, link: .shared)
    }

    /// A client on a link and with a system of one's own.
    package init(_ tls: ManagedTLS, link: AgentLink, system: NIOSSLTrustRoots = .default) {
        self.tls = tls
        self.system = system
        self.link = link
        var configuration = HTTPClient.Configuration(redirectConfiguration: .disallow)
        // A handshake that one side refuses would be refused again: the app is told at once.
        configuration.connectionPool.retryConnectionEstablishment = false
        client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: configuration)
    }

    deinit {
        client.shutdown { _ in }
    }

    /// Sends a request and waits for the head of the response; its body is read through it.
    ///
    /// - Parameters:
    ///   - request: What to ask; its own TLS configuration is replaced, and its URL begins with `https`.
    ///   - timeout: How long all of it may take.
    /// - Returns: The response.
    /// - Throws: ``ManagedApp/ManagedAppError`` when the identity or a pinned certificate is not there: nothing was
    ///   sent. ``UntrustedServer`` when the server is none to believe: nothing was sent or read. Otherwise what
    ///   `HTTPClient` throws.
    public func execute(_ request: HTTPClientRequest, timeout: TimeAmount) async throws -> HTTPClientResponse {
        // In clear there would be neither an identity nor a pin.
        guard request.url.prefix(8).lowercased() == "https://" else { throw HTTPClientError.invalidURL }
        var request = request
        request.tlsConfiguration = try await tls.configuration(
            identities: ManagedAppIdentitiesProvider(link: link),
            certificates: ManagedAppCertificatesProvider(link: link), system: system)
        do {
            return try await client.execute(request, timeout: timeout)
        } catch {
            throw UntrustedServer.means(error) ? UntrustedServer() : error
        }
    }
}
