import NIOCore

/// Delays the TLS handshake of an accepted connection until its network may begin one.
///
/// A connection that waits costs a descriptor and a timer: it has no pipeline but this, is not registered with its event
/// loop, and nothing is read of it. If the server closed it instead, its peer would come back at once, again and again, and
/// a device that shares the address would seldom get in.
final class HandshakeDelay: ChannelInboundHandler, RemovableChannelHandler {
    typealias InboundIn = ByteBuffer

    /// Too many of the network's connections wait already, or this one waited as long as it may.
    struct Refusal: Error {}

    private let standing: ConnectionStanding
    private let limits: ServerLimits
    private let promise: EventLoopPromise<Void>
    private var left: Int
    private var isOver = false

    private init(_ standing: ConnectionStanding, _ limits: ServerLimits, _ promise: EventLoopPromise<Void>) {
        self.standing = standing
        self.limits = limits
        self.promise = promise
        left = limits.handshakePauses
    }

    /// Succeeds when the handshake may begin, and fails when the connection has to be closed; called on its event loop.
    static func of(
        _ standing: ConnectionStanding, on channel: any Channel, limits: ServerLimits
    ) -> EventLoopFuture<Void> {
        switch standing.begin() {
        case .handshake: return channel.eventLoop.makeSucceededVoidFuture()
        case .refused: return channel.eventLoop.makeFailedFuture(Refusal())
        case .waiting:
            let promise = channel.eventLoop.makePromise(of: Void.self)
            do {
                try channel.pipeline.syncOperations.addHandler(HandshakeDelay(standing, limits, promise))
            } catch {
                promise.fail(error)
            }
            return promise.futureResult
        }
    }

    func handlerAdded(context: ChannelHandlerContext) { pause(context) }

    /// The connection was closed meanwhile.
    func handlerRemoved(context: ChannelHandlerContext) { end(Refusal()) }

    /// A server that stops closes the connections that wait.
    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is ChannelShouldQuiesceEvent { end(Refusal()) }
        context.fireUserInboundEventTriggered(event)
    }

    private func pause(_ context: ChannelHandlerContext) {
        // Random, so that not all connections ask at the same moment.
        let half = limits.handshakePause.nanoseconds / 2
        let wait = TimeAmount.nanoseconds(half + Int64.random(in: 0...2 * half))
        context.eventLoop.assumeIsolated().scheduleTask(in: wait) { [self] in
            guard !isOver else { return }
            left -= 1
            if standing.beginAfterWaiting() {
                end(nil)
                context.pipeline.syncOperations.removeHandler(context: context, promise: nil)
            } else if left > 0 {
                pause(context)
            } else {
                end(Refusal())
            }
        }
    }

    private func end(_ refusal: Refusal?) {
        guard !isOver else { return }
        isOver = true
        if let refusal { promise.fail(refusal) } else { promise.succeed() }
    }
}
