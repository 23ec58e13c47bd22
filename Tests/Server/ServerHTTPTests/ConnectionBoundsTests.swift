import NIOCore
import NIOEmbedded
import NIOHTTP1
import Synchronization
import Testing

@testable import ServerHTTP

/// The time bounds of a connection, on a clock that the test moves.
@Suite struct ConnectionBoundsTests {
    private let limits = ServerLimits()
    private let peer = ConnectionPeer()
    private let channel: EmbeddedChannel

    init() throws {
        channel = EmbeddedChannel()
        try channel.pipeline.syncOperations.addHandler(ConnectionBounds(limits: limits, peer: peer))
        try channel.connect(to: SocketAddress(ipAddress: "127.0.0.1", port: 1)).wait()
    }

    private var isOpen: Bool {
        channel.embeddedEventLoop.run()
        return channel.isActive
    }

    private func pass(_ time: TimeAmount) { channel.embeddedEventLoop.advanceTime(by: time) }

    private func head(announcing bytes: Int? = nil) throws {
        var head = HTTPRequestHead(version: .http1_1, method: .PUT, uri: "/mdm/command")
        if let bytes { head.headers.add(name: "content-length", value: "\(bytes)") }
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

    /// A4: silence after a head costs a peer nothing.
    @Test func aBodyThatWasAnnouncedBeginsSoon() throws {
        try head(announcing: 100)
        pass(limits.bodyBegin - .seconds(1))
        try body()
        pass(limits.requestRead - limits.bodyBegin)
        #expect(isOpen, "it began")
        try channel.writeInbound(HTTPServerRequestPart.end(nil))
        try answer()
        try head(announcing: 100)
        pass(limits.bodyBegin - .seconds(1))
        #expect(isOpen)
        pass(.seconds(1))
        #expect(!isOpen)
    }

    /// A12: each canceled timer costs a walk through those of all connections.
    @Test func requestsSetNoTimers() throws {
        func timers() -> Int {
            Mirror(reflecting: channel.embeddedEventLoop).children
                .compactMap { $0.label == "scheduledTaskCounter" ? ($0.value as? UInt64).map(Int.init) : nil }.first
                ?? -1
        }
        let before = timers()
        #expect(before > 0)
        for _ in 0..<100 {
            try head(announcing: 1)
            try body()
            try channel.writeInbound(HTTPServerRequestPart.end(nil))
            channel.isWritable = false
            channel.pipeline.fireChannelWritabilityChanged()
            channel.isWritable = true
            channel.pipeline.fireChannelWritabilityChanged()
            try answer()
        }
        #expect(timers() - before < 5)
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

    /// The bound is each request's: a connection is used as long as its requests keep to it.
    @Test func theBoundOnABodyIsThatOfOneRequest() throws {
        for _ in 0..<3 {
            try head()
            try body(limits.bodyBytesBeforeClose)
            try channel.writeInbound(HTTPServerRequestPart.end(nil))
            try answer()
        }
        #expect(isOpen)
    }

    /// So is the time for it.
    @Test func theTimeForABodyBeginsWithItsRequest() throws {
        for _ in 0..<3 {
            try head()
            pass(limits.requestRead - .seconds(1))
            try body()
            try channel.writeInbound(HTTPServerRequestPart.end(nil))
            try answer()
        }
        #expect(isOpen)
    }

    /// Who reads again before the time is over is not cut later for having paused.
    @Test func whoReadsOnIsNotCut() throws {
        try head()
        channel.isWritable = false
        channel.pipeline.fireChannelWritabilityChanged()
        pass(limits.stalledWrite - .seconds(1))
        channel.isWritable = true
        channel.pipeline.fireChannelWritabilityChanged()
        pass(limits.stalledWrite * 2)
        #expect(isOpen)
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

    /// A stop waits for answers under way, and not forever.
    @Test func afterAStopAnAnswerHasItsTimeAndNoMore() throws {
        try head()
        channel.pipeline.fireUserInboundEventTriggered(ChannelShouldQuiesceEvent())
        pass(limits.stopping - .milliseconds(1))
        #expect(isOpen)
        pass(.milliseconds(1))
        #expect(!isOpen)
    }

    /// Whoever streams to a peer hears that it sends no more, or is gone, while nothing is written.
    @Test(arguments: [true, false]) func aPeerThatLeavesIsNoticed(halfway: Bool) throws {
        let left = Count()
        peer.whenItLeaves { left.number.withLock { $0 += 1 } }
        #expect(left.number.withLock { $0 } == 0)
        if halfway {
            channel.pipeline.fireUserInboundEventTriggered(ChannelEvent.inputClosed)
            #expect(isOpen)
        } else {
            try channel.close().wait()
            channel.embeddedEventLoop.run()
        }
        #expect(left.number.withLock { $0 } == 1)
        // A later question is answered at once.
        peer.whenItLeaves { left.number.withLock { $0 += 1 } }
        #expect(left.number.withLock { $0 } == 2)
    }

    private final class Count: Sendable {
        let number = Mutex(0)
    }
}
