import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL

/// One connection on which a played device asks, one question after the other.
struct DeviceConnection: Sendable {
    /// What came back.
    struct Answer: Sendable {
        let status: UInt
        let headers: HTTPHeaders
        let body: ByteBuffer
    }

    private let channel: any Channel

    static func open(to server: ServerURL, tls: NIOSSLContext) async throws -> DeviceConnection {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(.seconds(30))
            .channelOption(.socketOption(.tcp_nodelay), value: 1)
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(TLSClient.handler(tls, for: server))
                    try pipeline.addHTTPClientHandlers()
                    try pipeline.addHandler(Asking())
                }
            }
            .connect(host: server.host, port: server.port).get()
        return DeviceConnection(channel: channel)
    }

    var isOpen: Bool { channel.isActive }

    func ask(_ request: PreparedRequest) async throws -> Answer {
        let answer = channel.eventLoop.makePromise(of: Answer.self)
        channel.writeAndFlush(Asking.Question(request: request, answer: answer), promise: nil)
        return try await answer.futureResult.get()
    }

    func close() {
        channel.close(promise: nil)
    }
}

/// Hands each answer to the question before it.
private final class Asking: ChannelDuplexHandler {
    typealias InboundIn = HTTPClientResponsePart
    typealias OutboundIn = Question
    typealias OutboundOut = HTTPClientRequestPart

    struct Question: Sendable {
        let request: PreparedRequest
        let answer: EventLoopPromise<DeviceConnection.Answer>
    }

    private struct Waiting {
        let answer: EventLoopPromise<DeviceConnection.Answer>
        let timeout: Scheduled<Void>
    }

    /// Longer answers than a configuration at its limit are a fault.
    private static let largest = 4 * 1_024 * 1_024

    private var waiting = CircularBuffer<Waiting>()
    private var status: UInt = 0
    private var headers = HTTPHeaders()
    private var body = ByteBuffer()

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        let question = unwrapOutboundIn(data)
        guard context.channel.isActive else {
            question.answer.fail(ChannelError.ioOnClosedChannel)
            return
        }
        let channel = context.channel
        let timeout = context.eventLoop.scheduleTask(in: .seconds(60)) { channel.close(promise: nil) }
        waiting.append(Waiting(answer: question.answer, timeout: timeout))
        context.write(wrapOutboundOut(.head(question.request.head)), promise: nil)
        if let body = question.request.body {
            context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
        }
        context.write(wrapOutboundOut(.end(nil)), promise: promise)
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            status = UInt(head.status.code)
            headers = head.headers
            body.clear()
        case .body(var part):
            guard body.readableBytes + part.readableBytes <= Self.largest else {
                context.close(promise: nil)
                return
            }
            body.writeBuffer(&part)
        case .end:
            guard let first = waiting.popFirst() else { return }
            first.timeout.cancel()
            first.answer.succeed(DeviceConnection.Answer(status: status, headers: headers, body: body))
            body = ByteBuffer()
        }
    }

    func channelInactive(context: ChannelHandlerContext) {
        end(ChannelError.eof)
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        end(error)
        context.close(promise: nil)
    }

    private func end(_ error: any Error) {
        while let next = waiting.popFirst() {
            next.timeout.cancel()
            next.answer.fail(error)
        }
    }
}
