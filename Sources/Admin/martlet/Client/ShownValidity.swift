package import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import Synchronization

/// The time for which the certificate that a server shows is valid.
///
/// The server is not trusted for it: the time only explains why the server was refused.
package struct ShownValidity: Sendable, Equatable {
    private static let patience = TimeAmount.seconds(5)

    package let begin: Date
    package let end: Date

    package init(begin: Date, end: Date) {
        self.begin = begin
        self.end = end
    }

    /// Why the certificate is refused now; nothing while it is valid.
    package func refusal(of server: String, now: Date) -> Failure? {
        let sentence = "the server at \(server) could not prove who it is"
        if end < now {
            return Failure(
                .unreachable, "\(sentence): its certificate has ended, on \(end.shown)",
                advice: "If the server's certificate comes from files, replace them on the server. One that the server "
                    + "issues itself it renews: look there at its log, and at its clock. If that day is yet to come, "
                    + "the clock of this machine is wrong.")
        }
        guard begin > now else { return nil }
        return Failure(
            .unreachable, "\(sentence): its certificate is not valid before \(begin.shown)",
            advice: "The clock of the server was ahead when the certificate was issued, or the clock of this machine "
                + "is behind: set it right (timedatectl), then restart the server.")
    }

    /// Asks a server for its certificate; nothing where it shows none in a few seconds.
    static func of(_ server: String) async -> ShownValidity? {
        guard let url = URLComponents(string: server), let name = url.host, !name.isEmpty else { return nil }
        let host = name.trimmingCharacters(in: CharacterSet(charactersIn: "[]"))
        let port = url.port ?? 443
        var tls = TLSConfiguration.makeClientConfiguration()
        tls.minimumTLSVersion = .tlsv12
        guard let context = try? NIOSSLContext(configuration: tls) else { return nil }
        let isAddress = (try? SocketAddress(ipAddress: host, port: port)) != nil
        let seen = Seen()
        let channel = try? await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(patience)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let handler = try NIOSSLClientHandler(
                        context: context, serverHostname: isAddress ? nil : host,
                        customVerificationCallback: { certificates, promise in
                            seen.keep(certificates.first)
                            // The handshake fails in any case: this connection serves only to see the certificate.
                            promise.succeed(.failed)
                        })
                    try channel.pipeline.syncOperations.addHandler(handler)
                }
            }
            .connect(host: host, port: port).get()
        guard let channel else { return nil }
        let limit = channel.eventLoop.scheduleTask(in: patience) { channel.close(promise: nil) }
        try? await channel.closeFuture.get()
        limit.cancel()
        return seen.validity
    }

    /// Carries what was shown out of the handshake.
    private final class Seen: Sendable {
        private let kept = Mutex<ShownValidity?>(nil)

        func keep(_ certificate: NIOSSLCertificate?) {
            guard let certificate else { return }
            let validity = ShownValidity(
                begin: Date(timeIntervalSince1970: TimeInterval(certificate.notValidBefore)),
                end: Date(timeIntervalSince1970: TimeInterval(certificate.notValidAfter)))
            kept.withLock { $0 = validity }
        }

        var validity: ShownValidity? { kept.withLock { $0 } }
    }
}
