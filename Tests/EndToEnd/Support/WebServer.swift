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

/// Somebody's HTTPS server, which remembers who asked it for what.
final class WebServer: Sendable {
    struct Request: Sendable {
        let path: String
        let headers: HTTPHeaders
        /// The certificate of the client; nil without one.
        let client: Certificate?
    }

    struct Answer: Sendable {
        var status = HTTPResponseStatus.ok
        var headers: HTTPHeaders = [:]
        var body = ""
    }

    private struct State {
        var requests: [Request] = []
        var refusals = 0
    }

    /// What its connections share with it.
    fileprivate final class Book: Sendable {
        private let state = Mutex(State())
        let answer: @Sendable (Request) -> Answer

        init(_ answer: @escaping @Sendable (Request) -> Answer) { self.answer = answer }

        var requests: [Request] { state.withLock(\.requests) }
        var refusals: Int { state.withLock(\.refusals) }
        func note(_ request: Request) { state.withLock { $0.requests.append(request) } }
        func noteRefusal() { state.withLock { $0.refusals += 1 } }
    }

    let port: Int
    private let channel: any Channel
    private let book: Book

    /// Runs a server with a certificate of `authority` for as long as `body` lasts; with `clients`, only those are
    /// answered who have a certificate of these authorities, in PEM.
    static func run(
        by authority: TestAuthority, clients: String? = nil,
        answer: @escaping @Sendable (Request) -> Answer, _ body: (WebServer) async throws -> Void
    ) async throws {
        let key = P256.Signing.PrivateKey()
        let leaf = try authority.issue("server", for: Certificate.PublicKey(key.publicKey), hosts: ["localhost"])
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: [.certificate(try NIOSSLCertificate(bytes: [UInt8](leaf.der()), format: .der))],
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: [UInt8](key.derRepresentation), format: .der)))
        if let clients {
            tls.certificateVerification = .noHostnameVerification
            tls.trustRoots = .certificates(try NIOSSLCertificate.fromPEMBytes([UInt8](clients.utf8)))
        }
        let server = try await WebServer(NIOSSLContext(configuration: tls), Book(answer))
        do {
            try await body(server)
        } catch {
            try? await server.channel.close()
            throw error
        }
        try await server.channel.close()
    }

    private init(_ context: NIOSSLContext, _ book: Book) async throws {
        self.book = book
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { child in
                child.eventLoop.makeCompletedFuture {
                    let sync = child.pipeline.syncOperations
                    try sync.addHandler(NIOSSLServerHandler(context: context))
                    try sync.configureHTTPServerPipeline()
                    try sync.addHandler(WebHandler(book))
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = channel.localAddress?.port ?? 0
    }

    var url: String { "https://localhost:\(port)" }
    var requests: [Request] { book.requests }

    /// Connections that ended in an error: of their handshake, mostly.
    var refusals: Int { book.refusals }
}

/// Answers authorized clients.
private final class WebHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let book: WebServer.Book
    private var head: HTTPRequestHead?

    init(_ book: WebServer.Book) { self.book = book }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head): self.head = head
        case .body: break
        case .end:
            guard let head else { return }
            let client = try? context.channel.pipeline.syncOperations.nioSSL_peerCertificate()
                .map { try Certificate(derEncoded: $0.toDERBytes()) }
            let request = WebServer.Request(path: head.uri, headers: head.headers, client: client.flatMap { $0 })
            book.note(request)
            let answer = book.answer(request)
            let body = ByteBuffer(string: answer.body)
            var headers = answer.headers
            headers.add(name: "Content-Length", value: "\(body.readableBytes)")
            let response = HTTPResponseHead(version: .http1_1, status: answer.status, headers: headers)
            context.write(wrapOutboundOut(.head(response)), promise: nil)
            context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        book.noteRefusal()
        context.close(promise: nil)
    }
}
