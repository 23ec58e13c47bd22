package import NIOCore
package import NIOHTTP1

/// Closes connections that go on too long: endless bodies, trickled requests, answers left unread, stops ignored.
///
/// There is one timer for each connection, armed while something is due. It is never canceled: canceling takes the event
/// loop through the timers of all connections, so each request would cost more the more devices are connected.
package final class ConnectionBounds: ChannelDuplexHandler {
    package typealias InboundIn = HTTPServerRequestPart
    package typealias InboundOut = HTTPServerRequestPart
    package typealias OutboundIn = HTTPServerResponsePart
    package typealias OutboundOut = HTTPServerResponsePart

    private let limits: ServerLimits
    private let peer: ConnectionPeer
    private var context: ChannelHandlerContext?
    private var requestBegan = NIODeadline.uptimeNanoseconds(0)
    private var bodyBytes = 0
    /// Requests whose answer has not ended; several only if the peer does not wait for answers.
    private var unanswered = 0
    private var isArmed = false
    /// When the next request's head, the first bytes of a body, and the reading of an answer are due.
    private var headDue: NIODeadline?
    private var bodyDue: NIODeadline?
    private var readingDue: NIODeadline?

    package init(limits: ServerLimits, peer: ConnectionPeer) {
        self.limits = limits
        self.peer = peer
    }

    package func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        awaitHead(context)
    }

    package func handlerRemoved(context: ChannelHandlerContext) { self.context = nil }

    package func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            headDue = nil
            unanswered += 1
            requestBegan = context.eventLoop.now
            bodyBytes = 0
            // Of a request that came before its turn nothing is read until then.
            if head.announcesBody, unanswered == 1 {
                bodyDue = requestBegan + limits.bodyBegin
                arm(context)
            }
        case .body(let part):
            bodyDue = nil
            bodyBytes += part.readableBytes
            if bodyBytes > limits.bodyBytesBeforeClose || context.eventLoop.now - requestBegan > limits.requestRead {
                context.close(promise: nil)
                return
            }
        case .end:
            bodyDue = nil
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
        readingDue = nil
        if !context.channel.isWritable {
            readingDue = context.eventLoop.now + limits.stalledWrite
            arm(context)
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
        (headDue, bodyDue, readingDue) = (nil, nil, nil)
        peer.leave()
        context.fireChannelInactive()
    }

    /// A head that comes byte by byte is never silent: it has a deadline of its own.
    private func awaitHead(_ context: ChannelHandlerContext) {
        headDue = context.eventLoop.now + limits.requestRead
        arm(context)
    }

    // MARK: The timer

    /// The shortest of what may become due: a timer that fires so often misses nothing that is set meanwhile.
    private var round: TimeAmount { min(limits.bodyBegin, limits.stalledWrite, limits.requestRead) }

    private func arm(_ context: ChannelHandlerContext) {
        guard !isArmed, let next = [headDue, bodyDue, readingDue].compactMap(\.self).min() else { return }
        isArmed = true
        let wait = min(round, max(next - context.eventLoop.now, .zero))
        context.eventLoop.assumeIsolated().scheduleTask(in: wait) { [self] in
            isArmed = false
            look()
        }
    }

    private func look() {
        guard let context else { return }
        let now = context.eventLoop.now
        func isDue(_ moment: NIODeadline?) -> Bool { moment.map { $0 <= now } ?? false }
        guard !isDue(headDue), !isDue(bodyDue), !isDue(readingDue) else {
            if isDue(readingDue) { peer.stall() }
            return context.close(promise: nil)
        }
        arm(context)
    }
}

extension HTTPRequestHead {
    /// Whether a body follows, as far as the head says.
    fileprivate var announcesBody: Bool {
        headers.contains(name: "transfer-encoding")
            || headers.first(name: "content-length").map { $0.contains { $0 != "0" } } ?? false
    }
}
