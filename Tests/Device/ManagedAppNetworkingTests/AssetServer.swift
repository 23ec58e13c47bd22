import Crypto
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import PlayedAgent
import SwiftASN1
import Synchronization
import X509

/// An HTTPS server on the loopback that remembers who came and what was asked.
final class AssetServer: Sendable {
    struct Seen: Sendable {
        /// The subject of the client's certificate, for each request; empty without one.
        var requests: [String] = []
        var connections = 0
    }

    let port: Int
    private let channel: any Channel
    private let seen: Shared

    var url: String { "https://localhost:\(port)/landmarks" }
    var record: Seen { seen.value.withLock { $0 } }

    /// Serves with a certificate of an authority; with `clients`, only those whose certificates come from that one.
    static func run(
        by authority: TestAuthority, hosts: [String] = ["localhost"], until end: Date? = nil,
        clients: TestAuthority? = nil, maximum: TLSVersion = .tlsv13, _ test: (AssetServer) async throws -> Void
    ) async throws {
        let key = P256.Signing.PrivateKey()
        let leaf = try authority.issue(
            "server", for: Certificate.PublicKey(key.publicKey), hosts: hosts,
            until: end ?? Date(timeIntervalSinceNow: 3_600))
        var configuration = TLSConfiguration.makeServerConfiguration(
            certificateChain: [.certificate(try NIOSSLCertificate(bytes: [UInt8](leaf.der()), format: .der))],
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: [UInt8](key.derRepresentation), format: .der)))
        configuration.maximumTLSVersion = maximum
        if let clients {
            configuration.certificateVerification = .noHostnameVerification
            configuration.trustRoots = .certificates([
                try NIOSSLCertificate(bytes: [UInt8](clients.der()), format: .der)
            ])
        }
        let server = try await AssetServer(NIOSSLContext(configuration: configuration))
        do {
            try await test(server)
        } catch {
            try await server.channel.close()
            throw error
        }
        try await server.channel.close()
    }

    private init(_ context: NIOSSLContext) async throws {
        let seen = Shared()
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { child in
                child.eventLoop.makeCompletedFuture {
                    seen.value.withLock { $0.connections += 1 }
                    let sync = child.pipeline.syncOperations
                    try sync.addHandler(NIOSSLServerHandler(context: context))
                    try sync.configureHTTPServerPipeline()
                    try sync.addHandler(AssetHandler(seen))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = channel.localAddress?.port ?? 0
        self.seen = seen
    }

    final class Shared: Sendable {
        let value = Mutex(Seen())
    }
}

private final class AssetHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let seen: AssetServer.Shared

    init(_ seen: AssetServer.Shared) {
        self.seen = seen
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .end = unwrapInboundIn(data) else { return }
        let subject = try? context.channel.pipeline.syncOperations.nioSSL_peerCertificate()
            .map { try Certificate(derEncoded: $0.toDERBytes()).subject.description }
        seen.value.withLock { $0.requests.append(subject.flatMap { $0 } ?? "") }
        var headers = HTTPHeaders()
        headers.add(name: "Content-Length", value: "9")
        let head = HTTPResponseHead(version: .http1_1, status: .ok, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: "landmarks")))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
    }
}
