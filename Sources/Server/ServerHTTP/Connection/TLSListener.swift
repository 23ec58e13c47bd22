import Foundation
import Hummingbird
package import HummingbirdCore
package import Logging
package import NIOCore
import NIOHTTP1
package import NIOSSL

/// One accepted connection: HTTP/1.1 over TLS, and what is known about its peer.
package struct Connection: ServerChildChannelValue {
    let http: HTTP1Channel.Value
    let peer: ConnectionPeer

    package var channel: any Channel { http.channel }
}

/// Prepares each accepted connection: TLS, its deadline, the peer's certificate, HTTP/1.1 and its bounds.
///
/// Any client certificate is let in here. Whether it means something is judged where a request is answered, so that a
/// refusal has a status code, a reason and a log line instead of a TLS alert.
package struct TLSListener: HTTPChannelHandler {
    private let certificate: ShownCertificate
    private let limits: ServerLimits
    private let strangers: StrangerBudget
    private let http: HTTP1Channel

    /// What every request is handed to.
    package var responder: HTTPChannelHandler.Responder { http.responder }

    init(
        certificate: ShownCertificate, limits: ServerLimits, strangers: StrangerBudget,
        responder: @escaping HTTPChannelHandler.Responder
    ) {
        self.certificate = certificate
        self.limits = limits
        self.strangers = strangers
        let decoder = HTTP1Channel.Configuration.DecoderConfiguration(
            maxHeaderFieldSize: limits.requestLineBytes, maxHeaderListSize: limits.headerListBytes,
            maxHeaderFieldCount: limits.headerCount)
        http = HTTP1Channel(
            responder: responder, configuration: .init(idleTimeout: limits.idle, httpDecoderConfiguration: decoder))
    }

    package func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Connection> {
        let network = PeerNetwork(PeerAddress.text(of: channel.remoteAddress))
        let peer = ConnectionPeer(ConnectionStanding(network: network, budget: strangers))
        channel.closeFuture.whenComplete { _ in peer.standing.end() }
        let connection = HandshakeDelay.of(peer.standing, on: channel, limits: limits).flatMapThrowing {
            let pipeline = channel.pipeline.syncOperations
            try pipeline.addHandler(
                NIOSSLServerHandler(
                    context: certificate.context,
                    customVerificationCallback: { _, promise in promise.succeed(.certificateVerified) }))
            try pipeline.addHandler(HandshakeHandler(peer: peer, deadline: limits.handshake, logger: logger))
        }.flatMap {
            http.setup(channel: channel, logger: logger)
        }.flatMapThrowing { value in
            let pipeline = channel.pipeline.syncOperations
            let decoder = try pipeline.handler(type: ByteToMessageHandler<HTTPRequestDecoder>.self)
            try pipeline.addHandler(ConnectionBounds(limits: limits, peer: peer), position: .after(decoder))
            return Connection(http: value, peer: peer)
        }
        // Nothing else closes a connection that is not handed on.
        connection.whenFailure { error in
            if error is HandshakeDelay.Refusal {
                logger.debug("connection closed", metadata: ["rule": "too many TLS handshakes are under way"])
            }
            channel.close(promise: nil)
        }
        return connection
    }

    package func handle(value: Connection, logger: Logger) async {
        await ConnectionPeer.$current.withValue(value.peer) {
            await http.handle(value: value.http, logger: logger)
        }
    }
}

/// The server's side of TLS: 1.2 or newer, HTTP/1.1 only, client certificates welcome but not demanded.
package enum ServerTLS {
    /// The ciphers of TLS 1.2 with forward secrecy and authenticated encryption (RFC 7525 §4, RFC 9325 §4).
    ///
    /// Recorded traffic stays secret if the certificate's key leaks later. TLS 1.3 has no other ciphers.
    package static let ciphers: [NIOTLSCipher] = [
        .TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, .TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256,
        .TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_AES_256_GCM_SHA384,
        .TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, .TLS_ECDHE_RSA_WITH_CHACHA20_POLY1305_SHA256,
    ]

    package static func configuration(
        certificateChain: [NIOSSLCertificate], key: NIOSSLPrivateKey, limits: ServerLimits
    ) -> TLSConfiguration {
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: certificateChain.map { .certificate($0) }, privateKey: .privateKey(key))
        tls.minimumTLSVersion = .tlsv12
        tls.cipherSuiteValues = ciphers
        tls.applicationProtocols = ["http/1.1"]
        tls.certificateVerification = .optionalVerification
        // Nobody's word counts here: the system's authorities need not be read.
        tls.trustRoots = .certificates([])
        tls.shutdownTimeout = limits.farewell
        return tls
    }
}
