import CertificateAuthority
import NIOCore
import Synchronization
import Testing
import Waiting

@testable import ServerHTTP

/// A connection whose network may not begin a handshake waits for it, within bounds, and costs next to nothing meanwhile.
@Suite(.timeLimit(.minutes(10))) struct HandshakeDelayTests {
    /// Red if it is closed at once: it would come back at once, and so would all others of its address.
    @Test func `a connection of an address whose strangers have all theirs waits, and is served when there is room`()
        async throws
    {
        var limits = Self.full
        (limits.handshakePause, limits.handshakePauses) = (.milliseconds(50), 1_000_000)
        try await TestServer.run(limits: limits) { (server) async throws in
            let held = try await Self.hold(server)
            let answer = Mutex("")
            let channel = try await RawConnection.open(
                port: server.port, authority: server.authority.certificateDER
            ) { bytes in
                let text = String(buffer: bytes)
                answer.withLock { $0 += text }
            }
            channel.writeAndFlush(ByteBuffer(string: "GET /healthz HTTP/1.1\r\nHost: a\r\n\r\n"), promise: nil)
            try await eventually("it waits") { server.server.strangers.waiting.used == 1 }
            #expect(answer.withLock { $0.isEmpty })
            try await held.close()
            try await eventually("it is served") { answer.withLock { $0.hasPrefix("HTTP/1.1 200") } }
            #expect(server.server.strangers.waiting.used == 0)
            try await channel.close()
        }
    }

    @Test func `a connection that waited as long as it may is closed, and its places are free again`() async throws {
        var limits = Self.full
        (limits.handshakePause, limits.handshakePauses) = (.milliseconds(20), 3)
        try await TestServer.run(limits: limits) { (server) async throws in
            let held = try await Self.hold(server)
            let answer = try await RawConnection.exchange(
                port: server.port, tls: true, authority: server.authority.certificateDER, [])
            #expect(answer.isEmpty)
            let strangers = server.server.strangers
            try await eventually("none is counted") { strangers.waiting.used == 0 && strangers.handshakes.used == 0 }
            try await held.close()
        }
    }

    /// Red if the server waits for them: it would stop after an hour.
    @Test func `a server stops although connections wait`() async throws {
        var limits = Self.full
        limits.handshakePause = .hours(1)
        let channels = try await TestServer.run(limits: limits) { (server) async throws -> [any Channel] in
            let held = try await Self.hold(server)
            let waiting = try await RawConnection.open(port: server.port)
            try await eventually("it waits") { server.server.strangers.waiting.used == 1 }
            return [held, waiting]
        }
        for channel in channels { try? await channel.close() }
    }

    // MARK: Values

    @Test func `connections that wait are bounded, take no place of a handshake, and give theirs back`() {
        var limits = ServerLimits()
        (limits.strangersPerNetwork, limits.handshakesBegunBeyond) = (0, 0)
        limits.handshakesAwaitedPerNetwork = 1
        let budget = StrangerBudget(limits: limits) { _ in false }
        let standings = (0..<2).map { _ in ConnectionStanding(network: PeerNetwork("192.0.2.1"), budget: budget) }
        #expect(standings.map { $0.begin() } == [.waiting, .refused])
        #expect([budget.handshakes.used, budget.waiting.used] == [0, 1])
        #expect(!standings[0].beginAfterWaiting())
        for standing in standings { standing.end() }
        #expect([budget.handshakes.used, budget.waiting.used] == [0, 0])
    }

    @Test func `a connection that waited takes the place of a handshake when its turn comes`() {
        var limits = ServerLimits()
        limits.handshakesPerNetwork = 1
        let budget = StrangerBudget(limits: limits) { _ in false }
        let standings = (0..<2).map { _ in ConnectionStanding(network: PeerNetwork("192.0.2.1"), budget: budget) }
        #expect(standings.map { $0.begin() } == [.handshake, .waiting])
        #expect(!standings[1].beginAfterWaiting())
        standings[0].end()
        #expect(standings[1].beginAfterWaiting())
        #expect([budget.handshakes.used, budget.waiting.used] == [1, 0])
        standings[1].end()
        #expect(budget.handshakes.used == 0)
    }

    /// Strangers that come back without end would use up what the devices at their address may begin.
    @Test func `those that wait take nothing from the handshakes that their network may begin`() {
        var limits = ServerLimits()
        (limits.strangersPerNetwork, limits.handshakesBegun, limits.handshakesBegunBeyond) = (1, 2, 0)
        let budget = StrangerBudget(limits: limits) { _ in false }
        let network = PeerNetwork("192.0.2.1")
        #expect(budget.connections.take(for: network))
        #expect((0..<10).allSatisfy { _ in !budget.mayBegin(network) })
        budget.connections.giveBack(of: network)
        #expect((0..<3).map { _ in budget.mayBegin(network) } == [true, true, false])
    }

    @Test func `a connection that was closed before its turn was asked for takes no place`() {
        let budget = StrangerBudget(limits: ServerLimits()) { _ in false }
        let standing = ConnectionStanding(network: PeerNetwork("192.0.2.1"), budget: budget)
        standing.end()
        #expect(standing.begin() == .refused)
        #expect([budget.handshakes.used, budget.waiting.used] == [0, 0])
    }

    /// A site of thousands of devices may be behind one address, and all of them come back after a restart.
    @Test func `devices with certificates of the server hold no places at their address once they are connected`() {
        var limits = ServerLimits()
        (limits.handshakesPerNetwork, limits.strangersPerNetwork) = (1, 1)
        let budget = StrangerBudget(limits: limits) { _ in true }
        let connected = (0..<2_000).filter { _ in
            let standing = ConnectionStanding(network: PeerNetwork("192.0.2.1"), budget: budget)
            return standing.begin() == .handshake && standing.completeHandshake(of: ConnectionPeer(standing))
        }
        #expect(connected.count == 2_000)
        #expect([budget.handshakes.used, budget.waiting.used, budget.connections.used] == [0, 0, 0])
    }

    @Test func `by default strangers leave a quarter of all connections to devices and administrators`() {
        let limits = ServerLimits()
        let strangers = limits.strangers + limits.handshakes + limits.handshakesAwaited
        #expect(strangers * 4 <= limits.connections * 3)
    }

    // MARK: Support

    /// One stranger of an address has all its connections, and no handshake may begin beyond that.
    private static let full = {
        var limits = ServerLimits.patient
        (limits.strangersPerNetwork, limits.handshakesBegunBeyond) = (1, 0)
        return limits
    }()

    private static func hold(_ server: TestServer) async throws -> any Channel {
        let channel = try await RawConnection.open(port: server.port, authority: server.authority.certificateDER)
        try await channel.writeAndFlush(ByteBuffer(string: "GET /ca.pem HTTP/1.1\r\n"))
        try await eventually("it is counted") { server.server.strangers.connections.used == 1 }
        return channel
    }
}
