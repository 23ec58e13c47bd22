import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// The stream on which a played device waits to be woken.
enum WakeConnection {
    /// Opens the stream; events that come while the device is busy become one.
    static func open(at server: ServerURL, tls: NIOSSLContext) async throws -> AsyncStream<Void> {
        let (events, source) = AsyncStream<Void>.makeStream(bufferingPolicy: .bufferingNewest(1))
        let loop = MultiThreadedEventLoopGroup.singleton.next()
        let opened = loop.makePromise(of: Void.self)
        let connecting = ClientBootstrap(group: loop).connectTimeout(.seconds(30))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(TLSClient.handler(tls, for: server))
                    // The server's heart beats once a minute.
                    try pipeline.addHandler(IdleStateHandler(readTimeout: .seconds(150)))
                    try pipeline.addHTTPClientHandlers()
                    try pipeline.addHandler(
                        Listening(request: PreparedRequest(.GET, server), opened: opened, events: source))
                }
            }
            .connect(host: server.host, port: server.port)
        connecting.cascadeFailure(to: opened)
        connecting.whenSuccess { channel in source.onTermination = { _ in channel.close(promise: nil) } }
        try await opened.futureResult.get()
        return events
    }
}

/// Hears every line that is not a heartbeat.
private final class Listening: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private let request: PreparedRequest
    private let opened: EventLoopPromise<Void>
    private let events: AsyncStream<Void>.Continuation
    private var lineHasText = false

    init(request: PreparedRequest, opened: EventLoopPromise<Void>, events: AsyncStream<Void>.Continuation) {
        self.request = request
        self.opened = opened
        self.events = events
    }

    func channelActive(context: ChannelHandlerContext) {
        context.write(wrapOutboundOut(.head(request.head)), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            if head.status == .ok {
                opened.succeed(())
            } else {
                opened.fail(LoadFailure("the wake stream was answered with \(head.status.code)"))
                context.close(promise: nil)
            }
        case .body(let part):
            for byte in part.readableBytesView {
                guard byte == 0x0A else {
                    lineHasText = true
                    continue
                }
                if lineHasText { events.yield() }
                lineHasText = false
            }
        case .end:
            context.close(promise: nil)
        }
    }

    func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
        if event is IdleStateHandler.IdleStateEvent { context.close(promise: nil) }
        context.fireUserInboundEventTriggered(event)
    }

    func channelInactive(context: ChannelHandlerContext) {
        opened.fail(ChannelError.eof)
        events.finish()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        opened.fail(error)
        context.close(promise: nil)
    }
}
