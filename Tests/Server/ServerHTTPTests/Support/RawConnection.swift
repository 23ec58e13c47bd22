import Foundation
import NIOCore
import NIOPosix
import NIOSSL
import Waiting

/// A connection on which a test writes what it likes.
enum RawConnection {
    /// Connects, with TLS if there is an authority to trust; what the server sends is read by nobody else.
    ///
    /// What it sends is handed to `reader`, if there is one. A `narrow` one takes little before its peer has to wait: the kernel
    /// keeps some kilobytes for it, on both sides.
    static func open(
        port: Int, authority: Data? = nil, narrow: Bool = false, reader: (@Sendable (ByteBuffer) -> Void)? = nil
    ) async throws -> any Channel {
        var bootstrap = ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connectTimeout(.minutes(10))
            .channelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    if let authority { try addTLS(to: channel, authority) }
                    if let reader { try channel.pipeline.syncOperations.addHandler(Reader(reader)) }
                }
            }
        if narrow {
            // The sender's own buffer follows from the size of a segment.
            bootstrap =
                bootstrap
                .channelOption(.socketOption(.so_rcvbuf), value: 4_096)
                .channelOption(.tcpOption(.init(rawValue: TCP_MAXSEG)), value: 536)
        }
        return try await bootstrap.connect(host: "127.0.0.1", port: port).get()
    }

    private final class Reader: ChannelInboundHandler {
        typealias InboundIn = ByteBuffer

        private let take: @Sendable (ByteBuffer) -> Void

        init(_ take: @escaping @Sendable (ByteBuffer) -> Void) { self.take = take }

        func channelRead(context: ChannelHandlerContext, data: NIOAny) { take(unwrapInboundIn(data)) }
    }

    private static func addTLS(to channel: any Channel, _ authority: Data) throws {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .certificates([try NIOSSLCertificate(bytes: Array(authority), format: .der)])
        let context = try NIOSSLContext(configuration: configuration)
        try channel.pipeline.syncOperations.addHandler(
            NIOSSLClientHandler(context: context, serverHostname: "localhost"))
    }

    /// Writes `bytes`, with TLS or without, and answers with everything that comes until the server closes.
    ///
    /// `written` is called when they have left; then `trickle` is sent forever, a byte at a time.
    static func exchange(
        port: Int, tls: Bool, authority: Data, _ bytes: [UInt8], within limit: Duration = patience,
        trickle: UInt8? = nil, written: @escaping @Sendable () -> Void = {}
    ) async throws -> [UInt8] {
        let channel = try await ClientBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .connect(host: "127.0.0.1", port: port) { channel in
                channel.eventLoop.makeCompletedFuture {
                    if tls { try addTLS(to: channel, authority) }
                    return try NIOAsyncChannel<ByteBuffer, ByteBuffer>(wrappingChannelSynchronously: channel)
                }
            }
        return try await channel.executeThenClose { inbound, outbound in
            try? await outbound.write(ByteBuffer(bytes: bytes))
            written()
            return try await withThrowingTaskGroup(of: [UInt8]?.self) { group in
                group.addTask {
                    var all: [UInt8] = []
                    do {
                        for try await part in inbound { all += Array(part.readableBytesView) }
                    } catch {
                        // However the server closes, what came before counts.
                    }
                    return all
                }
                group.addTask {
                    try await Task.sleep(for: limit)
                    return nil
                }
                if let trickle {
                    group.addTask {
                        while true {
                            try? await outbound.write(ByteBuffer(bytes: [trickle]))
                            try await Task.sleep(for: .milliseconds(20))
                        }
                    }
                }
                defer { group.cancelAll() }
                guard let first = try await group.next(), let answer = first else { throw NeverClosed() }
                return answer
            }
        }
    }

    /// The server kept the connection open.
    struct NeverClosed: Error {}
}
