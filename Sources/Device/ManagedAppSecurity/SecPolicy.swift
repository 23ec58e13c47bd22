// Apple's names and signatures: source that calls these functions on iOS calls them here.
// swift-format-ignore-file: AlwaysUseLowerCamelCase

public import ManagedApp

/// What a certificate chain must meet to be trusted, as Apple's Security framework names it.
public final class SecPolicy: Sendable {
    /// What the certificate is used for.
    enum Purpose: Sendable {
        /// Nothing in particular.
        case any
        /// A TLS server, of this name where one is given.
        case server(name: String?)
        /// A TLS client.
        case client
    }

    let purpose: Purpose

    init(_ purpose: Purpose) {
        self.purpose = purpose
    }
}

/// The rules of RFC 5280, for a certificate of any use.
public func SecPolicyCreateBasicX509() -> SecPolicy {
    SecPolicy(.any)
}

/// The rules of RFC 5280 and those of TLS: the extended key usage, and the name of the server.
///
/// - Parameters:
///   - server: Whether the certificate is a server's; otherwise it is a client's.
///   - hostname: The server's DNS name or IP address, which the certificate's subject alternative names must list. The
///     common name does not count. With nil the name is not checked; a client's certificate has none to check.
/// - Returns: The policy.
public func SecPolicyCreateSSL(_ server: Bool, _ hostname: CFString?) -> SecPolicy {
    SecPolicy(server ? .server(name: hostname) : .client)
}
