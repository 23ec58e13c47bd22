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
    private var timer: Scheduled<Void>?

    init(peer: ConnectionPeer, deadline: TimeAmount, logger: Logger) {
        self.peer = peer
        self.deadline = deadline
        self.logger = logger
    }

    func handlerAdded(context: ChannelHandlerContext) {
        let channel = context.channel
        let logger = logger
        timer = context.eventLoop.scheduleTask(in: deadline) {
            logger.debug("connection closed", metadata: ["rule": "the TLS handshake has a deadline"])
            channel.close(promise: nil)
        }
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        timer?.cancel()
        timer = nil
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if let event = event as? TLSUserEvent, case .handshakeCompleted = event {
            remember(context: context)
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
