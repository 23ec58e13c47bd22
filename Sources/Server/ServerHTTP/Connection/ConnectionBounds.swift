import NIOCore
import NIOHTTP1

/// Closes connections that go on too long: endless bodies, trickled requests, answers left unread, stops ignored.
final class ConnectionBounds: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias InboundOut = HTTPServerRequestPart

    private let limits: ServerLimits
    private let peer: ConnectionPeer
    private var requestBegan = NIODeadline.uptimeNanoseconds(0)
    private var bodyBytes = 0
    private var stalled: Scheduled<Void>?

    init(limits: ServerLimits, peer: ConnectionPeer) {
        self.limits = limits
        self.peer = peer
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            requestBegan = .now()
            bodyBytes = 0
        case .body(let part):
            bodyBytes += part.readableBytes
            if bodyBytes > limits.bodyBytesBeforeClose || NIODeadline.now() - requestBegan > limits.requestRead {
                context.close(promise: nil)
                return
            }
        case .end:
            break
        }
        context.fireChannelRead(data)
    }

    func channelWritabilityChanged(context: ChannelHandlerContext) {
        stalled?.cancel()
        stalled = nil
        if !context.channel.isWritable {
            let channel = context.channel
            stalled = context.eventLoop.scheduleTask(in: limits.stalledWrite) { channel.close(promise: nil) }
        }
        context.fireChannelWritabilityChanged()
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent {
            let channel = context.channel
            context.eventLoop.scheduleTask(in: limits.stopping) { channel.close(promise: nil) }
        } else if let event = event as? ChannelEvent, case .inputClosed = event {
            peer.leave()
        }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        stalled?.cancel()
        stalled = nil
        peer.leave()
        context.fireChannelInactive()
    }
}
