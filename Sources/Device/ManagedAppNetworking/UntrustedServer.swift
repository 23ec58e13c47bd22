public import Foundation
import NIOSSL

/// A server whose certificate is not to be believed: by nobody trusted, expired, or another host's.
public struct UntrustedServer: LocalizedError, Hashable {
    /// Makes the error, for an app that knows a server by other means.
    public init() {}

    /// Says so in a sentence.
    public var errorDescription: String? { "The server's certificate is not one that this app trusts." }

    /// Whether an error of the handshake says so.
    static func means(_ error: any Error) -> Bool {
        switch error {
        case NIOSSLError.handshakeFailed(.sslError(let errors)):
            errors.contains { "\($0)".contains("CERTIFICATE_VERIFY_FAILED") }
        case NIOSSLError.unableToValidateCertificate, NIOSSLError.noCertificateToValidate: true
        case let error as NIOSSLExtraError: error == .failedToValidateHostname
        default: false
        }
    }
}
