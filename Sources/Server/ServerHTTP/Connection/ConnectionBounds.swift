package import NIOCore
package import NIOHTTP1

/// Closes connections that go on too long: endless bodies, trickled requests, answers left unread, stops ignored.
package final class ConnectionBounds: ChannelDuplexHandler {
    package typealias InboundIn = HTTPServerRequestPart
    package typealias InboundOut = HTTPServerRequestPart
    package typealias OutboundIn = HTTPServerResponsePart
    package typealias OutboundOut = HTTPServerResponsePart

    private let limits: ServerLimits
    private let peer: ConnectionPeer
    private var requestBegan = NIODeadline.uptimeNanoseconds(0)
    private var bodyBytes = 0
    /// Requests whose answer has not ended; several only if the peer does not wait for answers.
    private var unanswered = 0
    private var headDue: Scheduled<Void>?
    private var stalled: Scheduled<Void>?

    package init(limits: ServerLimits, peer: ConnectionPeer) {
        self.limits = limits
        self.peer = peer
    }

    package func handlerAdded(context: ChannelHandlerContext) {
        awaitHead(context)
    }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head:
            headDue?.cancel()
            headDue = nil
            unanswered += 1
            requestBegan = context.eventLoop.now
            bodyBytes = 0
        case .body(let part):
            bodyBytes += part.readableBytes
            if bodyBytes > limits.bodyBytesBeforeClose || context.eventLoop.now - requestBegan > limits.requestRead {
                context.close(promise: nil)
                return
            }
        case .end:
            break
        }
        context.fireChannelRead(data)
    }

    package func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        if case .end = unwrapOutboundIn(data) {
            unanswered -= 1
            if unanswered == 0 { awaitHead(context) }
        }
        context.write(data, promise: promise)
    }

    package func channelWritabilityChanged(context: ChannelHandlerContext) {
        stalled?.cancel()
        stalled = nil
        if !context.channel.isWritable {
            let (channel, peer) = (context.channel, peer)
            stalled = context.eventLoop.scheduleTask(in: limits.stalledWrite) {
                peer.stall()
                channel.close(promise: nil)
            }
        }
        context.fireChannelWritabilityChanged()
    }

    package func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent {
            let channel = context.channel
            context.eventLoop.scheduleTask(in: limits.stopping) { channel.close(promise: nil) }
        } else if let event = event as? ChannelEvent, case .inputClosed = event {
            peer.leave()
        }
        context.fireUserInboundEventTriggered(event)
    }

    package func channelInactive(context: ChannelHandlerContext) {
        for timer in [stalled, headDue] { timer?.cancel() }
        (stalled, headDue) = (nil, nil)
        peer.leave()
        context.fireChannelInactive()
    }

    /// A head that comes byte by byte is never silent: it has a deadline of its own.
    private func awaitHead(_ context: ChannelHandlerContext) {
        let channel = context.channel
        headDue?.cancel()
        headDue = context.eventLoop.scheduleTask(in: limits.requestRead) { channel.close(promise: nil) }
    }
}
