import AsyncHTTPClient
import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import TPMKeys

/// Why there is no answer; says the rule, never what was sent.
package enum ServerSilence: Error, Equatable {
    case notHTTPS
    case tooManyRedirects
    case answerTooLarge
    case tookTooLong
    case unreachable
    /// Nothing takes connections at the server's address.
    case refused
    /// The server's name leads to no address.
    case noAddress
    /// No network of this device leads to the server.
    case noRoute
    /// Something takes connections at the server's address and does not speak TLS.
    case notTLS
    case untrusted
    /// The key of this device's identity is in its chip, and that does not sign.
    case chipFailed

    /// Whether the server has answered, and what it said is of no use.
    var isAnswer: Bool { [.notHTTPS, .tooManyRedirects, .answerTooLarge].contains(self) }

    /// For a person at a terminal.
    package var explanation: String { explanation(at: nil) }

    /// The same of the server at an address that the person has named.
    package func explanation(at address: String?) -> String {
        let server = address.map { "the server at \($0)" } ?? "the server"
        return switch self {
        case .notHTTPS: "\(server) points to an address that is not https"
        case .tooManyRedirects: "\(server) redirects too often"
        case .answerTooLarge: "the server's answer is larger than allowed"
        case .tookTooLong: "\(server) did not answer in time"
        case .unreachable: "\(server) cannot be reached"
        case .refused: "\(server) cannot be reached: nothing takes connections at its address"
        case .noAddress: "\(server) cannot be reached: its name leads to no address"
        case .noRoute: "\(server) cannot be reached: no network leads to it"
        case .notTLS: "\(server) cannot be reached: what answers at its address does not speak TLS"
        case .chipFailed: "this device's TPM does not sign: nothing else can speak for the device"
        case .untrusted: "\(server) cannot be trusted: its certificate is not backed by the given CA"
        }
    }

    /// What a person can do about it.
    package var advice: String? {
        switch self {
        case .refused, .unreachable: "Check that the server runs and that the address and port are right."
        case .tookTooLong: "Check that the address and port are right, and that no firewall is in between."
        case .noAddress: "Check how the name is spelled, and that this machine resolves names (DNS)."
        case .noRoute: "Check this machine's network."
        case .notTLS: "Check that the port is that of the server's https address."
        case .untrusted: "Check that the CA is the one that issued the server's certificate, for this name."
        case .notHTTPS, .tooManyRedirects, .answerTooLarge, .chipFailed: nil
        }
    }
}

extension ServerSilence {
    private static let timeouts: [HTTPClientError] = [
        .deadlineExceeded, .readTimeout, .connectTimeout, .tlsHandshakeTimeout,
    ]

    /// Reads an error of the network.
    init(_ error: any Error) {
        self =
            switch error {
            case let silence as ServerSilence: silence
            case is TimeLimitReached: .tookTooLong
            // The connection broke off, such as that of a server which is about to stop: its certificate was not judged.
            case NIOSSLError.uncleanShutdown: .unreachable
            case let error as NIOSSLError where error == .handshakeFailed(.sslError([.eofDuringHandshake])):
                .unreachable
            case is NIOSSLError where Self.isOfAnotherProtocol(error): .notTLS
            case is NIOSSLError, is BoringSSLError: .untrusted
            case is TPMFailure: .chipFailed
            case let error as HTTPClientError where Self.timeouts.contains(error): .tookTooLong
            case ChannelError.connectTimeout(_): .tookTooLong
            case let error as IOError: Self.unconnected([error.errnoCode])
            case let error as NIOConnectionError: Self.unconnected(error)
            default: .unreachable
            }
    }

    /// Whether what came in answer to the handshake was no TLS, for which the library has no case of its own.
    private static func isOfAnotherProtocol(_ error: any Error) -> Bool {
        String(describing: error).contains("WRONG_VERSION_NUMBER")
    }

    /// Why no connection could be made, of all addresses that were tried.
    private static func unconnected(_ error: NIOConnectionError) -> ServerSilence {
        let isUnnamed = error.dnsAError != nil || error.dnsAAAAError != nil
        guard !error.connectionErrors.isEmpty else { return isUnnamed ? .noAddress : .unreachable }
        let numbers = error.connectionErrors.compactMap { ($0.error as? IOError)?.errnoCode }
        let isLate = error.connectionErrors.contains { failure in
            if case .connectTimeout? = failure.error as? ChannelError { true } else { false }
        }
        return numbers.isEmpty && isLate ? .tookTooLong : unconnected(numbers)
    }

    private static func unconnected(_ numbers: [Int32]) -> ServerSilence {
        if numbers.contains(ECONNREFUSED) { return .refused }
        return numbers.contains(ENETUNREACH) || numbers.contains(EHOSTUNREACH) ? .noRoute : .unreachable
    }
}
