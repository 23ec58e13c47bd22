package import ManagedApp
import NIOCore
public import NIOSSL

extension TLSConfiguration {
    /// Authenticates each new connection with a provisioned identity, where the server asks for one.
    ///
    /// For clients other than ``ManagedHTTPClient``. The identity is looked up when a server asks, so that a connection
    /// made after a renewal has the new one; those that are open stay as they are. Without it the handshake ends: the
    /// server is never asked again without a certificate.
    ///
    /// - Parameter identifier: The identifier of the identity.
    public mutating func authenticate(withIdentity identifier: String) {
        authenticate(withIdentity: identifier, link: .shared)
    }

    /// The same, on a link of one's own.
    package mutating func authenticate(withIdentity identifier: String, link: AgentLink) {
        sslContextCallback = { _, promise in
            link.identity(identifier) { result in
                promise.completeWith(
                    Result {
                        guard
                            let identity = SecIdentity(try result.get(), identifier: identifier, link: link)
                        else { throw ManagedAppError.internalError }
                        var override = NIOSSLContextConfigurationOverride()
                        override.certificateChain = try identity.certificateChain.map {
                            .certificate(try NIOSSLCertificate(bytes: [UInt8]($0.derRepresentation), format: .der))
                        }
                        override.privateKey = .privateKey(
                            NIOSSLPrivateKey(customPrivateKey: IdentityPrivateKey(identity.privateKey)))
                        return override
                    })
            }
        }
    }
}
