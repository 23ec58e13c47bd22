import NIOCore
import NIOEmbedded
import NIOHTTP1
import ServerHTTP
import Testing

/// The time bounds of a connection, on a clock that the test moves.
@Suite struct ConnectionBoundsTests {
    private let limits = ServerLimits()
    private let channel: EmbeddedChannel

    init() throws {
        channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandler(ConnectionBounds(limits: limits, peer: ConnectionPeer()))
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    }

    private var isOpen: Bool {
        channel.embeddedEventLoop.run()
        return channel.isActive
    }

    private func pass(_ time: TimeAmount) { channel.embeddedEventLoop.advanceTime(by: time) }

    private func head() throws {
        let head = HTTPRequestHead(version: .http1_1, method: .PUT, uri: "/mdm/command")
        try channel.writeInbound(HTTPServerRequestPart.head(head))
    }

    private func body(_ count: Int = 1) throws {
        try channel.writeInbound(HTTPServerRequestPart.body(ByteBuffer(repeating: 0, count: count)))
    }

    private func answer() throws {
        let head = HTTPResponseHead(version: .http1_1, status: .ok)
        try channel.writeOutbound(HTTPServerResponsePart.head(head))
        try channel.writeOutbound(HTTPServerResponsePart.end(nil))
    }

    @Test func theFirstHeadHasADeadline() throws {
        pass(limits.requestRead - .seconds(1))
        #expect(isOpen)
        pass(.seconds(1))
        #expect(!isOpen)
    }

    @Test func everyFurtherHeadHasADeadline() throws {
        for _ in 0..<3 {
            pass(limits.requestRead - .seconds(1))
            try head()
            try channel.writeInbound(HTTPServerRequestPart.end(nil))
            try answer()
        }
        #expect(isOpen)
        pass(limits.requestRead)
        #expect(!isOpen)
    }

    /// The bound on requests is none on answers: a wake stream stays open for days.
    @Test func anAnswerMayTakeAsLongAsItLikes() throws {
        try head()
        try channel.writeInbound(HTTPServerRequestPart.end(nil))
        pass(.hours(48))
        #expect(isOpen)
    }

    /// The answer to the first of two requests begins no deadline while the second is being answered.
    @Test func anAnswerStillOwedIsWaitedFor() throws {
        for _ in 0..<2 {
            try head()
            try channel.writeInbound(HTTPServerRequestPart.end(nil))
        }
        try answer()
        pass(.hours(48))
        #expect(isOpen)
    }

    @Test func aTrickledBodyEnds() throws {
        try head()
        for _ in 0..<Int(limits.requestRead.nanoseconds / TimeAmount.seconds(10).nanoseconds) {
            pass(.seconds(10))
            try body()
        }
        #expect(isOpen)
        pass(.seconds(10))
        try body()
        #expect(!isOpen)
    }

    @Test func anEndlessBodyEnds() throws {
        try head()
        try body(limits.bodyBytesBeforeClose)
        #expect(isOpen)
        try body()
        #expect(!isOpen)
    }

    @Test func anAnswerThatNobodyReadsEnds() throws {
        try head()
        channel.isWritable = false
        channel.pipeline.fireChannelWritabilityChanged()
        pass(limits.stalledWrite - .seconds(1))
        #expect(isOpen)
        pass(.seconds(1))
        #expect(!isOpen)
    }
}
