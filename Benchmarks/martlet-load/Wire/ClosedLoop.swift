import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// What one connection counted.
struct Tally: Sendable {
    var latencies = Latencies()
    /// Answers that were not 2xx, by status.
    var refusals: [UInt: Int] = [:]

    mutating func add(_ other: Tally) {
        latencies.add(other.latencies)
        refusals.merge(other.refusals, uniquingKeysWith: +)
    }
}

/// Which requests are written, from when to when they count.
struct LoadPlan: Sendable {
    let ring: [PreparedRequest]
    let measuredFrom: NIODeadline
    let until: NIODeadline
}

/// Writes the next request as soon as the last one is answered, until the time is over.
final class ClosedLoop: ChannelInboundHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundOut = HTTPClientRequestPart

    private let plan: LoadPlan
    private var position: Int
    private let stride: Int
    private let result: EventLoopPromise<Tally>
    private var tally = Tally()
    private var written = NIODeadline.now()
    private var status: UInt = 0

    init(plan: LoadPlan, start: Int, stride: Int, result: EventLoopPromise<Tally>) {
        self.plan = plan
        self.position = start
        self.stride = stride
        self.result = result
    }

    /// Opens one connection and answers what it counted; it ends early if the server closes it.
    static func run(
        plan: LoadPlan, server: ServerURL, tls: NIOSSLContext, start: Int, stride: Int
    ) async throws -> Tally {
        let group = MultiThreadedEventLoopGroup.singleton
        let loop = group.next()
        let result = loop.makePromise(of: Tally.self)
        let connecting = ClientBootstrap(group: loop).connectTimeout(.seconds(10))
            .channelOption(.socketOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(TLSClient.handler(tls, for: server))
                    try pipeline.addHTTPClientHandlers()
                    try pipeline.addHandler(
                        ClosedLoop(plan: plan, start: start, stride: stride, result: result))
                }
            }
            .connect(host: server.host, port: server.port)
        connecting.cascadeFailure(to: result)
        return try await result.futureResult.get()
    }

    func channelActive(context: ChannelHandlerContext) {
        next(context)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): status = UInt(head.status.code)
        case .body: break
        case .end:
            let now = NIODeadline.now()
            if written >= plan.measuredFrom, now <= plan.until {
                tally.latencies.add(nanoseconds: (now - written).nanoseconds)
                if !(200..<300).contains(status) { tally.refusals[status, default: 0] += 1 }
            }
            if now < plan.until {
                next(context)
            } else {
                result.succeed(tally)
                context.close(promise: nil)
            }
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        result.succeed(tally)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        result.fail(error)
        context.close(promise: nil)
    }

    private func next(_ context: ChannelHandlerContext) {
        let request = plan.ring[position % plan.ring.count]
        position += stride
        written = .now()
        context.write(wrapOutboundOut(.head(request.head)), promise: nil)
        if let body = request.body { context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil) }
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}

/// Our end of TLS.
enum TLSClient {
    static func handler(_ context: NIOSSLContext, for server: ServerURL) throws -> NIOSSLClientHandler {
        // An address is no server name for SNI; the certificate is then checked against the address itself.
        let isAddress = (try? SocketAddress(ipAddress: server.host, port: server.port)) != nil
        return try NIOSSLClientHandler(context: context, serverHostname: isAddress ? nil : server.host)
    }
}
