import AsyncHTTPClient
import Foundation
import Glibc
import NIOCore
import NIOPosix
import NIOSSL

/// Says why no answer came from the server.
enum Unreachable {
    private static let timeouts: [HTTPClientError] = [
        .connectTimeout, .deadlineExceeded, .readTimeout, .getConnectionFromPoolTimeout, .tlsHandshakeTimeout,
    ]

    /// Whether the request may have reached the server although no answer came.
    static func losesAnswer(_ error: any Error) -> Bool {
        switch error {
        case let error as HTTPClientError:
            [.remoteConnectionClosed, .readTimeout, .deadlineExceeded, .writeTimeout].contains(error)
        case let error as IOError: [ECONNRESET, EPIPE].contains(error.errnoCode)
        case ChannelError.eof, ChannelError.ioOnClosedChannel, ChannelError.inputClosed: true
        case NIOSSLError.uncleanShutdown: true
        default: false
        }
    }

    /// The failure; if the certificate has ended or is not valid yet, it says so.
    static func explained(_ error: any Error, server: String) async -> Failure {
        switch error {
        case NIOSSLError.handshakeFailed, is NIOSSLExtraError:
            await ShownValidity.of(server)?.refusal(of: server, now: Date()) ?? failure(error, server: server)
        default: failure(error, server: server)
        }
    }

    static func failure(_ error: any Error, server: String) -> Failure {
        switch error {
        case let failure as Failure:
            return failure
        case is CancellationError:
            return Failure(.failed, "interrupted")
        case NIOSSLError.handshakeFailed, is NIOSSLExtraError:
            return Failure(
                .unreachable, "the server at \(server) could not prove who it is",
                advice: "Its certificate is not by the authority of the login, or not for this name. Log in with "
                    + "--ca-file: the server's ca.pem, or the authority of the certificate that it was given.")
        case let error as HTTPClientError where timeouts.contains(error):
            return Failure(.unreachable, "the server at \(server) did not answer in time")
        case is NIOTooManyBytesError:
            return Failure(.failed, "the server's answer is larger than this tool accepts")
        default:
            return Failure(
                .unreachable, "the server at \(server) is not reachable",
                advice: "Check that martlet-server runs and that the address and port are right.")
        }
    }
}
