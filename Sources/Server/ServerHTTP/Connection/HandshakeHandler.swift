import Foundation
import Logging
import NIOCore
import NIOSSL
import NIOTLS

/// Gives the TLS handshake a deadline and remembers the certificate it brought, then leaves the pipeline.
final class HandshakeHandler: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    private let peer: ConnectionPeer
    private let deadline: TimeAmount
    private let logger: Logger
    private var isOver = false

    init(peer: ConnectionPeer, deadline: TimeAmount, logger: Logger) {
        self.peer = peer
        self.deadline = deadline
        self.logger = logger
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let channel = context.channel
        // Left to run out: canceling a timer takes the event loop through all it has.
        context.eventLoop.assumeIsolated().scheduleTask(in: deadline) { [self] in
            guard !isOver else { return }
            logger.debug("connection closed", metadata: ["rule": "the TLS handshake has a deadline"])
            channel.close(promise: nil)
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) { isOver = true }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? TLSUserEvent, case .handshakeCompleted = event {
            remember(context: context)
            guard peer.standing.completeHandshake(of: peer) else {
                logger.debug("connection closed", metadata: ["rule": "too many connections of strangers"])
                return context.close(promise: nil)
            }
            context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
        }
        context.fireUserInboundEventTriggered(event)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // What the peer sent is left out: only that it was not TLS as we speak it.
        logger.debug("connection closed", metadata: ["rule": "TLS 1.2 or newer"])
        context.fireErrorCaught(error)
        context.close(promise: nil)
    }

    private func remember(context: ChannelHandlerContext) {
        guard let certificate = try? context.pipeline.syncOperations.nioSSL_peerCertificate(),
            let bytes = try? certificate.toDERBytes()
        else { return }
        peer.remember(PeerCertificate(der: Data(bytes)))
    }
}
