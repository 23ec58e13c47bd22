import AdminMessages
import Crypto
import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix

/// A sign-in in the browser of this machine, which reports its end to a local port (RFC 8252).
///
/// The code that arrives there is useless without the verifier, which this process sends to the server alone.
struct LoopbackSignIn {
    private static let patience = Duration.seconds(600)

    private let state = Self.text()
    private let verifier = Self.text()

    /// Says where the browser has to go, and waits for what it brings back.
    func grant(at server: String, show: @escaping @Sendable (String) -> Void) async throws -> SignInGrantRequest {
        let (grants, sink) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingOldest(1))
        let expected = state
        let channel: any Channel
        do {
            channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
                .childChannelInitializer { channel in
                    channel.eventLoop.makeCompletedFuture {
                        try channel.pipeline.syncOperations.configureHTTPServerPipeline()
                        try channel.pipeline.syncOperations.addHandler(GrantHandler(state: expected) { sink.yield($0) })
                    }
                }
                .bind(host: "127.0.0.1", port: 0).get()
        } catch {
            throw Failure(.failed, "no port of this machine can be listened on")
        }
        let port = channel.localAddress?.port ?? 0
        let digest = Data(SHA256.hash(data: Data(verifier.utf8)))
        show("\(server)/sign-in/oidc?port=\(port)&state=\(state)&challenge=\(Self.text(of: digest))")
        let patience = Task {
            try await Task.sleep(for: Self.patience)
            sink.finish()
        }
        defer { patience.cancel() }
        var grant: String?
        for await found in grants {
            grant = found
            break
        }
        try? await channel.close()
        guard let grant else { throw Failure(.notLoggedIn, "nobody signed in within ten minutes") }
        return SignInGrantRequest(grant: grant, verifier: verifier)
    }

    private static func text() -> String {
        var generator = SystemRandomNumberGenerator()
        return text(of: Data((0..<32).map { _ in UInt8.random(in: 0...255, using: &generator) }))
    }

    private static func text(of data: Data) -> String {
        data.base64EncodedString().replacing("+", with: "-").replacing("/", with: "_").replacing("=", with: "")
    }
}

/// Hears one request: the browser, sent back with the grant and the state that was given to it.
private final class GrantHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let state: String
    private let found: @Sendable (String) -> Void

    init(state: String, found: @escaping @Sendable (String) -> Void) {
        self.state = state
        self.found = found
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        guard case .head(let head) = unwrapInboundIn(data) else { return }
        let items = URLComponents(string: head.uri)?.queryItems ?? []
        func value(_ name: String) -> String? { items.first { $0.name == name }?.value }
        let grant = head.method == .GET && value("state") == state ? value("grant") : nil
        let text = grant == nil ? "This is not the sign-in that was begun.\n" : "Signed in. This page can be closed.\n"
        let headers: HTTPHeaders = [
            "Content-Type": "text/plain; charset=utf-8", "Content-Length": "\(text.utf8.count)",
            "Connection": "close", "Cache-Control": "no-store", "Referrer-Policy": "no-referrer",
        ]
        let answer = HTTPResponseHead(version: .http1_1, status: grant == nil ? .badRequest : .ok, headers: headers)
        context.write(wrapOutboundOut(.head(answer)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(ByteBuffer(string: text)))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        if let grant { found(grant) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) { context.close(promise: nil) }
}
