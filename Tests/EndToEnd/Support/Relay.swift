import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import NIOTLS
import Synchronization

/// What stands between the road's clients and its server: hands bytes on and keeps a copy, or plays the attacker who
/// ends the TLS connections itself.
final class Relay: Sendable {
    /// What happens to the connections that come in.
    enum Mode: Sendable {
        /// Everything is handed on as it is, and kept.
        case pass
        /// The connection ends here, with this certificate; nothing is handed on.
        case intercept(NIOSSLContext)
        /// The connection ends here, without any TLS.
        case plain
    }

    /// What an intercepting relay got to know.
    struct Loot: Sendable {
        /// Connections whose client said goodbye before it trusted.
        var refusals = 0
        var handshakes = 0
        /// The messages in plain text, or after the client trusted the server.
        var said = Data()
        /// The certificate a client showed of its own.
        var certificate: Data?
    }

    private struct State {
        var mode = Mode.pass
        var open: [ObjectIdentifier: any Channel] = [:]
        var captured: [Data] = []
        var loot = Loot()
    }

    let port: Int
    /// Where the server is to listen.
    let serverPort: Int
    private let listener: any Channel
    private let state: StateBox

    /// The state, which the connections share with the relay.
    private final class StateBox: Sendable {
        let value = Mutex(State())
    }

    init() async throws {
        serverPort = try KeptPort.next()
        let state = StateBox()
        self.state = state
        let upstream = serverPort
        listener = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { channel in
                state.value.withLock { $0.open[ObjectIdentifier(channel)] = channel }
                channel.closeFuture.whenComplete { _ in
                    state.value.withLock { $0.open[ObjectIdentifier(channel)] = nil }
                }
                return Self.attach(channel, state, upstream: upstream)
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = listener.localAddress?.port ?? 0
    }

    var url: String { "https://localhost:\(port)" }

    /// Every byte that passed, of all connections: each direction of each for itself.
    var captured: [Data] { state.value.withLock { $0.captured } }
    var loot: Loot { state.value.withLock { $0.loot } }

    /// Changes what happens to connections; those that are open are cut.
    func change(to mode: Mode) {
        let open = state.value.withLock { state in
            state.mode = mode
            state.loot = Loot()
            return Array(state.open.values)
        }
        for channel in open { channel.close(promise: nil) }
    }

    func stop() {
        change(to: .plain)
        listener.close(promise: nil)
    }

    private static func attach(_ channel: any Channel, _ state: StateBox, upstream: Int) -> EventLoopFuture<Void> {
        switch state.value.withLock({ $0.mode }) {
        case .pass:
            return ClientBootstrap(group: channel.eventLoop).connect(host: "127.0.0.1", port: upstream).flatMapThrowing
            {
                try channel.pipeline.syncOperations.addHandler(Copy(to: $0, keeper: Keeper(state)))
                try $0.pipeline.syncOperations.addHandler(Copy(to: channel, keeper: Keeper(state)))
            }
        case .plain:
            return channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandler(Ear(state, expectsHandshake: false))
            }
        case .intercept(let context):
            return channel.eventLoop.makeCompletedFuture {
                try channel.pipeline.syncOperations.addHandlers([
                    NIOSSLServerHandler(
                        context: context,
                        customVerificationCallback: { _, promise in promise.succeed(.certificateVerified) }),
                    Ear(state, expectsHandshake: true),
                ])
            }
        }
    }

    /// Keeps the bytes of one direction of one connection.
    private final class Keeper: Sendable {
        private let state: StateBox
        private let place: Int

        init(_ state: StateBox) {
            self.state = state
            place = state.value.withLock { state in
                state.captured.append(Data())
                return state.captured.count - 1
            }
        }

        func keep(_ bytes: ByteBuffer) {
            state.value.withLock { $0.captured[place].append(contentsOf: bytes.readableBytesView) }
        }
    }

    /// Hands bytes on to the other side.
    private final class Copy: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let other: any Channel
        private let keeper: Keeper

        init(to other: any Channel, keeper: Keeper) {
            self.other = other
            self.keeper = keeper
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            let bytes = unwrapInboundIn(data)
            keeper.keep(bytes)
            other.writeAndFlush(bytes, promise: nil)
        }

        func channelInactive(context: ChannelHandlerContext) {
            other.close(promise: nil)
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.close(promise: nil)
        }
    }

    /// Listens to what a client says to an attacker.
    private final class Ear: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let state: StateBox
        private let expectsHandshake: Bool
        private var isTrusted = false

        init(_ state: StateBox, expectsHandshake: Bool) {
            self.state = state
            self.expectsHandshake = expectsHandshake
        }

        func userInboundEventTriggered(context: ChannelHandlerContext, event: Any) {
            guard let event = event as? TLSUserEvent, case .handshakeCompleted = event else { return }
            isTrusted = true
            let shown = try? context.pipeline.syncOperations.nioSSL_peerCertificate()?.toDERBytes()
            state.value.withLock { state in
                state.loot.handshakes += 1
                if let shown { state.loot.certificate = Data(shown) }
            }
        }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) {
            state.value.withLock { $0.loot.said.append(contentsOf: unwrapInboundIn(data).readableBytesView) }
            // An attacker who does not speak TLS answers at once, in case that is enough.
            guard !expectsHandshake else { return }
            context.writeAndFlush(
                NIOAny(ByteBuffer(string: "HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")), promise: nil)
        }

        func channelInactive(context: ChannelHandlerContext) {
            if !isTrusted { state.value.withLock { $0.loot.refusals += 1 } }
        }

        func errorCaught(context: ChannelHandlerContext, error: any Error) {
            context.close(promise: nil)
        }
    }
}
