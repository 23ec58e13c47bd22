import Foundation
import NIOCore
import NIOHTTP1
import NIOPosix
import NIOSSL
import SwiftASN1
import X509

/// The developer's license server: says to each request which organization it is attributed to.
///
/// `LicenseServer CERTIFICATE.pem KEY.pem CUSTOMERS PORT`, where `CUSTOMERS` is a folder as `LicenseBook` reads it.
@main
struct LicenseServer {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 5, let port = Int(arguments[4]) else {
            print("usage: LicenseServer CERTIFICATE.pem KEY.pem CUSTOMERS PORT")
            exit(64)
        }
        let book = try LicenseBook(in: URL(filePath: arguments[3]))
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMFile(arguments[1]).map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(file: arguments[2], format: .pem)))
        // Asked of everybody, as some have a token only; a certificate that is shown must be right.
        tls.certificateVerification = .optionalVerification
        tls.trustRoots = .certificates(
            try book.customers.compactMap(\.authority).map {
                try NIOSSLCertificate(bytes: try $0.serializeAsPEM().derBytes, format: .der)
            })
        let context = try NIOSSLContext(configuration: tls)
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelInitializer { channel in
                channel.eventLoop.makeCompletedFuture {
                    let pipeline = channel.pipeline.syncOperations
                    try pipeline.addHandler(NIOSSLServerHandler(context: context))
                    try pipeline.configureHTTPServerPipeline()
                    try pipeline.addHandler(LicenseHandler(book))
                }
            }
            .bind(host: "127.0.0.1", port: port).get()
        say("license server ready https://localhost:\(channel.localAddress?.port ?? 0)")
        try await channel.closeFuture.get()
    }

    /// A line at once, also where the output is a pipe.
    static func say(_ line: String) {
        FileHandle.standardOutput.write(Data((line + "\n").utf8))
    }
}

/// Answers the requests of one connection.
private final class LicenseHandler: ChannelInboundHandler {
    typealias InboundIn = HTTPServerRequestPart
    typealias OutboundOut = HTTPServerResponsePart

    private let book: LicenseBook
    private var token: String?
    private var isLast = false

    init(_ book: LicenseBook) {
        self.book = book
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        switch unwrapInboundIn(data) {
        case .head(let head):
            isLast = !head.isKeepAlive
            token = head.headers.first(name: "Authorization").flatMap { value in
                value.hasPrefix("Bearer ") ? String(value.dropFirst("Bearer ".count)) : nil
            }
        case .body:
            break
        case .end:
            let (customer, means, number) = customer(on: context)
            let which = number.map { "\(means) \($0)" } ?? means
            LicenseServer.say(customer.map { "request of \($0.name) by \(which)" } ?? "request refused: \(which)")
            let text = customer.map { "Licensed to \($0.name) by \(means)." } ?? "Not licensed."
            send(customer == nil ? .forbidden : .ok, text, context)
        }
    }

    /// The customer of a request, the means of proof, and the number of the token.
    private func customer(on context: ChannelHandlerContext) -> (LicenseBook.Customer?, String, Int?) {
        if let shown = try? context.pipeline.syncOperations.nioSSL_peerCertificate(),
            let certificate = try? Certificate(derEncoded: shown.toDERBytes())
        {
            return (book.customer(withKey: certificate), "license key", nil)
        }
        let found = token.flatMap(book.customer(withToken:))
        return (found?.customer, token == nil ? "nothing" : "license token", found?.number)
    }

    private func send(_ status: HTTPResponseStatus, _ text: String, _ context: ChannelHandlerContext) {
        let body = ByteBuffer(string: text)
        let headers: HTTPHeaders = ["Content-Length": "\(body.readableBytes)", "Content-Type": "text/plain"]
        let head = HTTPResponseHead(version: .http1_1, status: status, headers: headers)
        context.write(wrapOutboundOut(.head(head)), promise: nil)
        context.write(wrapOutboundOut(.body(.byteBuffer(body))), promise: nil)
        context.writeAndFlush(wrapOutboundOut(.end(nil)), promise: nil)
        if isLast { context.close(promise: nil) }
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        // A handshake that was refused, or somebody who hung up.
        LicenseServer.say("connection refused")
        context.close(promise: nil)
    }
}
