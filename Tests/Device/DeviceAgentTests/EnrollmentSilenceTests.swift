import Foundation
import NIOCore
import NIOPosix
import TestLog
import Testing

@testable import DeviceAgent

/// What a person who enrolls reads if no server answers at the address: what happened, where, and what to do.
///
/// Red where a server that is known by a fingerprint was looked for, and the network's own error was shown.
@Suite(.timeLimit(.minutes(10)))
struct EnrollmentSilenceTests {
    /// What `martlet-agent enroll --url` says, with a fingerprint and with a file.
    private static func said(of url: String) async throws -> [String] {
        let facts = DeviceFacts(
            hostName: "host", systemName: "Debian", systemVersion: "12", kernelVersion: "6.1", modelName: "Model",
            model: "M1")
        let device = try Device(
            directory: "/d", appDirectories: [], facts: facts, namesMachine: false, steps: MemorySteps())
        let wish = EnrollmentWish.code("code", url: url)
        var texts: [String] = []
        for trust in [
            try ServerTrust(fingerprint: String(repeating: "0", count: 64)),
            .certificates([try ScriptedServer.root()]),
        ] {
            do {
                try await Enroll(device: device, log: LogLines().logger()).run(wish, trust: trust)
                texts.append("enrolled")
            } catch {
                texts.append(Enroll.explanation(of: error, at: wish.server))
            }
        }
        return texts
    }

    @Test(arguments: [
        ("https://127.0.0.1:1", ServerSilence.refused), ("https://nowhere.invalid:8443", .noAddress),
    ])
    func aServerThatIsNotThereIsNamedWithWhatToDo(url: String, silence: ServerSilence) async throws {
        let advice = try #require(silence.advice)
        #expect(silence.explanation(at: url).hasPrefix("the server at \(url) "))
        for text in try await Self.said(of: url) { #expect(text == silence.explanation(at: url) + "\n" + advice) }
    }

    /// Red where it was a certificate that the given CA does not back.
    @Test func whatDoesNotSpeakTLSIsNamedWithWhatToDo() async throws {
        let channel = try await ServerBootstrap(group: MultiThreadedEventLoopGroup.singleton)
            .childChannelInitializer { child in
                child.eventLoop.makeCompletedFuture {
                    try child.pipeline.syncOperations.addHandler(ServerWithoutTLS())
                }
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let url = "https://127.0.0.1:\(channel.localAddress?.port ?? 0)"
        let texts = try await Self.said(of: url)
        try await channel.close()
        for text in texts {
            #expect(text.hasPrefix(ServerSilence.notTLS.explanation(at: url) + "\n"), "\(text)")
        }
    }
}

/// Answers whatever comes as a web server does that was asked by something else.
private final class ServerWithoutTLS: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        let answer = ByteBuffer(string: "HTTP/1.1 400 Bad Request\r\ncontent-length: 0\r\n\r\n")
        context.writeAndFlush(wrapOutboundOut(answer), promise: nil)
    }
}
