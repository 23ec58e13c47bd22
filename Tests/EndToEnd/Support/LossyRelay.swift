import NIOCore
import NIOPosix
import Synchronization

/// What clients of the road go through to its server.
protocol RoadRelay: Sendable {
    /// Where clients go.
    var url: String { get }
    /// Where the server is to listen.
    var serverPort: Int { get }
}

extension Relay: RoadRelay {}

/// Stands between device and server, and loses one answer on request.
///
/// It sees only ciphertext: an answer is what the server sends after the device has said something.
final class LossyRelay: RoadRelay {
    private struct Contents {
        var answers = 0
        var lost: Int?
    }

    let port: Int
    /// Where the server is to listen.
    let serverPort: Int
    private let channel: any Channel
    private let contents = Mutex(Contents())

    var url: String { "https://localhost:\(port)" }

    /// Runs a relay for as long as `body` lasts.
    static func with(_ body: (LossyRelay) async throws -> Void) async throws {
        let target = try KeptPort.next()
        let box = Box()
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelOption(.autoRead, value: false)
            .childChannelInitializer { near in
                let relay = box.relay.withLock { $0 }
                return ClientBootstrap(group: near.eventLoop)
                    .channelOption(.autoRead, value: false)
                    .connect(host: "127.0.0.1", port: target)
                    .flatMapThrowing { far in
                        try near.pipeline.syncOperations.addHandler(
                            LossyPass(to: far) { relay?.deviceSpoke() ?? .passes })
                        let answers = LossyPass(to: near) { relay?.serverSpoke() ?? .passes }
                        try far.pipeline.syncOperations.addHandler(answers)
                        // Nothing is read before there is somebody to hand it to.
                        _ = near.setOption(.autoRead, value: true)
                        _ = far.setOption(.autoRead, value: true)
                    }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let relay = LossyRelay(channel, serverPort: target)
        box.relay.withLock { $0 = relay }
        do {
            try await body(relay)
        } catch {
            try await channel.close()
            throw error
        }
        try await channel.close()
    }

    private init(_ channel: any Channel, serverPort: Int) {
        self.channel = channel
        self.serverPort = serverPort
        port = channel.localAddress?.port ?? 0
    }

    /// Loses the answer of this number from now on, counted from one, with its connection; or none.
    func lose(_ number: Int?) { contents.withLock { $0 = Contents(lost: number) } }

    /// Whether the answer that was to be lost has come and gone.
    var hasLost: Bool { contents.withLock { contents in contents.lost.map { contents.answers >= $0 } ?? false } }

    private let awaiting = Mutex(true)

    private func deviceSpoke() -> LossyPass.Fate {
        awaiting.withLock { $0 = true }
        return .passes
    }

    private func serverSpoke() -> LossyPass.Fate {
        let begins = awaiting.withLock { awaiting in
            defer { awaiting = false }
            return awaiting
        }
        return contents.withLock { contents in
            if begins { contents.answers += 1 }
            return contents.answers == contents.lost ? .isLost : .passes
        }
    }

    private final class Box: Sendable {
        let relay = Mutex<LossyRelay?>(nil)
    }
}

/// Hands on what one side says to the other.
private final class LossyPass: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer

    enum Fate { case passes, isLost }

    private let other: any Channel
    private let judge: () -> Fate

    init(to other: any Channel, _ judge: @escaping () -> Fate) {
        self.other = other
        self.judge = judge
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch judge() {
        case .passes: other.writeAndFlush(unwrapInboundIn(data), promise: nil)
        case .isLost:
            context.close(promise: nil)
            other.close(promise: nil)
        }
    }

    func channelInactive(context: ChannelHandlerContext) { other.close(promise: nil) }
    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
