import CertificateAuthority
import DeviceAgent
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import Synchronization
import Testing

/// A TLS server on the loopback that answers as a test says, also as no decent server would.
final class ScriptedServer: Sendable {
    struct Request: Sendable {
        let path: String
        let body: Data
        /// The signature in the header of the device's requests.
        var signature: String?
        /// Which program says that it asks.
        var userAgent: String?
    }

    enum Answer: Sendable {
        case reply(Int, headers: [String: String] = [:], body: Data = Data())
        /// Promises a body of this length, sends so much of it, and closes.
        case cutOff(promised: Int, sent: Data)
        /// Keeps the answer open and sends a line again and again.
        case lines(String, every: Duration)
    }

    typealias Script = @Sendable (Request) -> Answer

    static let authority = Result { try Authority.create(commonName: "Scripted authority", now: Date()) }
    private static let somebodyElse = Result { try Authority.create(commonName: "Somebody else", now: Date()) }

    private let channel: any Channel
    private let children: Mutex<[any Channel]>
    private let context: Mutex<NIOSSLContext>
    private let script: Mutex<Script>

    let port: Int
    var url: String { "https://localhost:\(port)" }

    /// The certificate by which this server is known.
    static func root() throws -> Data { try authority.get().certificateDER }

    /// Runs a server for as long as `test` lasts.
    static func run<Value>(_ script: @escaping Script, _ test: (ScriptedServer) async throws -> Value) async throws
        -> Value
    {
        let server = try await ScriptedServer(script)
        do {
            let value = try await test(server)
            try await server.stop()
            return value
        } catch {
            try await server.stop()
            throw error
        }
    }

    private init(_ script: @escaping Script) async throws {
        let box = Box()
        channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.backlog, value: 64)
            .childChannelInitializer { child in
                child.eventLoop.makeCompletedFuture {
                    guard let server = box.server.withLock({ $0 }) else {
                        throw ChannelError.inappropriateOperationForState
                    }
                    server.children.withLock { $0.append(child) }
                    try child.pipeline.syncOperations.addHandler(
                        NIOSSLServerHandler(context: server.context.withLock { $0 }))
                    try child.pipeline.syncOperations.configureHTTPServerPipeline()
                    try child.pipeline.syncOperations.addHandler(
                        ScriptHandler { request in server.script.withLock { $0 }(request) })
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        port = channel.localAddress?.port ?? 0
        children = Mutex([])
        context = Mutex(try Self.context(of: Self.authority.get()))
        self.script = Mutex(script)
        box.server.withLock { $0 = self }
    }

    /// Shows another certificate from now on: one of an authority that the device does not know.
    func pretendToBeSomebodyElse() async throws {
        let stranger = try Self.context(of: Self.somebodyElse.get())
        context.withLock { $0 = stranger }
        await dropConnections()
    }

    func beItselfAgain() async throws {
        let own = try Self.context(of: Self.authority.get())
        context.withLock { $0 = own }
        await dropConnections()
    }

    /// Returns when they are closed: what comes later cannot come over one of them.
    func dropConnections() async {
        let open = children.withLock { children in
            defer { children = [] }
            return children
        }
        let closing = open.map { $0.close() }
        for close in closing { try? await close.get() }
    }

    private func stop() async throws {
        try await channel.close()
        await dropConnections()
    }

    private static func context(of authority: Authority) throws -> NIOSSLContext {
        let identity = try authority.issueServer(hostnames: ["localhost"], now: Date())
        let chain = try NIOSSLCertificate.fromPEMBytes(Array(identity.certificatePEM.utf8))
        return try NIOSSLContext(
            configuration: .makeServerConfiguration(
                certificateChain: chain.map { .certificate($0) },
                privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(identity.keyPEM.utf8), format: .pem))))
    }

    /// Carries the server to its channels, which can be there before it.
    private final class Box: Sendable {
        let server = Mutex<ScriptedServer?>(nil)
    }
}

/// Gathers a request and does what the script says.
private final class ScriptHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let script: ScriptedServer.Script
    private var path = ""
    private var signature: String?
    private var userAgent: String?
    private var body = Data()

    init(_ script: @escaping ScriptedServer.Script) { self.script = script }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            (path, body) = (head.uri, Data())
            signature = head.headers.first(name: "mdm-signature")
            userAgent = head.headers.first(name: "user-agent")
        case .body(let part): body.append(contentsOf: part.readableBytesView)
        case .end:
            let request = ScriptedServer.Request(
                path: path, body: body, signature: signature, userAgent: userAgent)
            answer(script(request), context)
        }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }

    private func answer(_ answer: ScriptedServer.Answer, _ context: ChannelHandlerContext) {
        switch answer {
        case .reply(let status, let headers, let body):
            send(status, headers, length: body.count, body, context)
            context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        case .cutOff(let promised, let sent):
            send(200, [:], length: promised, sent, context)
            context.flush()
            context.close(promise: nil)
        case .lines(let line, let interval):
            send(200, [:], length: nil, Data(), context)
            context.flush()
            let channel = context.channel
            let pause = TimeAmount(interval)
            context.eventLoop.scheduleRepeatedTask(initialDelay: pause, delay: pause) { task in
                guard channel.isActive else { return task.cancel() }
                channel.writeAndFlush(
                    HTTPServerResponsePart.body(.byteBuffer(ByteBuffer(string: line + "\n"))), promise: nil)
            }
        }
    }

    private func send(
        _ status: Int, _ headers: [String: String], length: Int?, _ body: Data, _ context: ChannelHandlerContext
    ) {
        var fields = HTTPHeaders(headers.map { ($0.key, $0.value) })
        if let length { fields.add(name: "content-length", value: "\(length)") }
        let head = HTTPResponseHead(
            version: .http1_1, status: HTTPResponseStatus(statusCode: status), headers: fields)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        if !body.isEmpty {
            context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(bytes: body)))), promise: nil)
        }
    }
}
