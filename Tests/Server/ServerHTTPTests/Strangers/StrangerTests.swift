import AsyncHTTPClient
import CertificateAuthority
import DeviceMessages
import Foundation
import NIOCore
import Synchronization
import Testing
import Waiting

@testable import ServerHTTP

/// What somebody without a certificate of ours costs has a bound, and devices do not wait behind it.
@Suite(.timeLimit(.minutes(10))) struct StrangerTests {
    // MARK: Half-sent requests

    /// A4: 2,048 of them were a full outage.
    @Test func `requests whose body does not come are not under way`() async throws {
        var limits = ServerLimits.patient
        (limits.requestsUnderWay, limits.strangerRequestsUnderWay) = (4, 4)
        try await Self.withDevice(limits) { (server, device) async throws in
            let begin = "POST /api/v1/session HTTP/1.1\r\nHost: a\r\nContent-Length: 1000\r\n\r\nhalf"
            let held = try await Self.open(8, server, sending: begin)
            // Each is read up to where it stops, or refused.
            let traffic = server.server.traffic
            try await eventually("all eight have arrived") {
                traffic.heldBodyBytes / "half".utf8.count + traffic.requests(.other, hundreds: 5) == held.count
            }
            #expect(traffic.requests(.other, hundreds: 5) == 0 && traffic.underWay == 0)
            #expect(try await device.ask(.tokens).status == 200)
            #expect(try await device.client.send("GET", server.baseURL + "/healthz").status == 200)
            for channel in held { try await channel.close() }
        }
    }

    /// A4: strangers have a share of the places, each of their networks a part of it, and the rest is for who is known.
    @Test func `of the requests under way strangers have a share, and each of their networks a part of it`() throws {
        var limits = ServerLimits()
        limits.requestsUnderWay = 3
        (limits.strangerRequestsUnderWay, limits.strangerRequestsUnderWayPerNetwork) = (2, 1)
        let (traffic, strangers) = (Traffic(), StrangerBudget(limits: limits) { _ in false })
        func place(_ network: String, known: Bool = false) -> RequestPlace {
            let standing = ConnectionStanding(network: PeerNetwork(network), budget: nil)
            if known { standing.recognize() }
            return RequestPlace(standing, traffic, strangers, limits)
        }
        let (first, second) = (place("192.0.2.1"), place("192.0.2.2"))
        try first.enter()
        #expect(throws: HTTPProblem.self, "one of a network") { try place("192.0.2.1").enter() }
        try second.enter()
        #expect(throws: HTTPProblem.self, "two of all strangers") { try place("192.0.2.3").enter() }
        #expect(traffic.underWay == 2)
        try place("192.0.2.1", known: true).enter()
        #expect(throws: HTTPProblem.self, "three of all") { try place("192.0.2.1", known: true).enter() }
        first.end()
        try place("192.0.2.4", known: true).enter()
        #expect(throws: HTTPProblem.self, "three of all") { try place("192.0.2.3").enter() }
        #expect(strangers.requests.used == 1 && traffic.underWay == 3, "who is refused keeps no place")
        second.end()
        try place("192.0.2.3").enter()
    }

    @Test func `a stranger for whom there is no place is told to come later`() async throws {
        var limits = ServerLimits.patient
        limits.strangerRequestsUnderWay = 0
        try await TestServer.run(limits: limits) { (server) async throws in
            try await server.client().with { (client) async throws in
                #expect(try await client.send("GET", server.baseURL + "/ca.pem").status == 503)
            }
        }
    }

    @Test func `bodies of an address's strangers have a budget of bytes, small ones pass however full it is`()
        async throws
    {
        var limits = ServerLimits.patient
        (limits.freeBodyBytes, limits.strangerBodyBytesPerNetwork) = (1_024, 48 * 1_024)
        try await TestServer.run(limits: limits) { (server) async throws in
            try await server.client().with { (client) async throws in
                let url = server.baseURL + "/scep?operation=PKIOperation"
                func post(_ count: Int) async throws -> UInt {
                    try await client.send("POST", url, body: Data(repeating: 7, count: count)).status
                }
                #expect(try await post(40 * 1_024) == 400, "no message, but taken")
                let begin = """
                    POST /scep?operation=PKIOperation HTTP/1.1\r\nHost: a\r\nContent-Length: 60000\r\n\r\n\
                    \(String(repeating: "a", count: 40 * 1_024))
                    """
                let held = try await Self.open(1, server, sending: begin)
                try await eventually("the budget is taken") { try await post(40 * 1_024) == 503 }
                #expect(try await post(1_000) == 400)
                for channel in held { try await channel.close() }
                try await eventually("the budget is free again") { try await post(40 * 1_024) == 400 }
            }
        }
    }

    @Test(arguments: [("/api/v1/session", 413), ("/enroll/account/sign-in", 413), ("/console/sign-in", 413)])
    func `strangers send no large body to sign in`(_ path: String, _ status: UInt) async throws {
        try await TestServer.run { (server) async throws in
            try await server.client().with { (client) async throws in
                let answer = try await client.send(
                    "POST", server.baseURL + path, headers: ["content-type": "application/json"],
                    body: Data(repeating: 7, count: ServerLimits().signInBytes + 1))
                #expect(answer.status == status)
            }
        }
    }

    // MARK: Connections

    @Test func `the connections of an address's strangers are bounded, those of devices are not`() async throws {
        var limits = ServerLimits.patient
        limits.strangersPerNetwork = 3
        try await Self.withDevice(limits) { (server, device) async throws in
            // Those of the administrator and of the device count no longer: they are known.
            let held = try await Self.open(3, server, sending: "GET /ca.pem HTTP/1.1\r\n")
            try await eventually("three are counted") { server.server.strangers.connections.used == 3 }
            let answer = try await RawConnection.exchange(
                port: server.port, tls: true, authority: server.authority.certificateDER, [])
            #expect(answer.isEmpty, "a fourth one is closed")
            try await server.client(identity: device.identity).with { (client) async throws in
                let mine = PlayedDevice(
                    server: server, client: client, udid: device.identifier.id, identity: device.identity)
                #expect(try await mine.ask(.tokens).status == 200)
            }
            for channel in held { try await channel.close() }
            try await eventually("none is counted") { server.server.strangers.connections.used == 0 }
        }
    }

    @Test func `silent connections of an address are bounded before their handshake`() async throws {
        var limits = ServerLimits.patient
        (limits.handshakesPerNetwork, limits.handshakesAwaitedPerNetwork) = (2, 0)
        try await TestServer.run(limits: limits) { (server) async throws in
            let held = [
                try await RawConnection.open(port: server.port), try await RawConnection.open(port: server.port),
            ]
            try await eventually("two are counted") { server.server.strangers.handshakes.used == 2 }
            let answer = try await RawConnection.exchange(
                port: server.port, tls: false, authority: server.authority.certificateDER, [])
            #expect(answer.isEmpty)
            for channel in held { try await channel.close() }
            try await eventually("none is counted") { server.server.strangers.handshakes.used == 0 }
        }
    }

    /// Who is closed and comes back at once costs a signature each time.
    @Test func `an address whose strangers have all their connections begins few handshakes more`() async throws {
        var limits = ServerLimits()
        (limits.strangersPerNetwork, limits.handshakesBegunBeyond) = (1, 2)
        limits.handshakesBegunBeyondWindow = .seconds(3_600)
        let budget = StrangerBudget(limits: limits) { _ in false }
        let (full, other) = (PeerNetwork("192.0.2.1"), PeerNetwork("192.0.2.2"))
        #expect((0..<10).allSatisfy { _ in budget.mayBegin(full) })
        #expect(budget.connections.take(for: full))
        #expect((0..<4).map { _ in budget.mayBegin(full) } == [true, true, false, false])
        #expect(budget.mayBegin(other))
    }

    // MARK: Pace

    @Test func `strangers who ask too fast wait, and a device at their address does not`() async throws {
        var limits = ServerLimits.patient
        (limits.strangerRequests, limits.strangerWindow, limits.strangerPause) = (40, .seconds(3_600), .hours(1))
        try await Self.withDevice(limits) { (server, device) async throws in
            let answers = Mutex(0)
            let taken = 60
            let asked = String(repeating: "GET /ca.pem HTTP/1.1\r\nHost: a\r\n\r\n", count: taken)
            let channel = try await RawConnection.open(
                port: server.port, authority: server.authority.certificateDER
            ) { bytes in
                let text = String(buffer: bytes)
                answers.withLock { $0 += text.components(separatedBy: "HTTP/1.1 200").count - 1 }
            }
            try await channel.writeAndFlush(ByteBuffer(string: asked))
            // The device asks on a connection that is known, as often as it likes.
            for _ in 0..<30 { #expect(try await device.ask(.tokens).status == 200) }
            #expect(answers.withLock { $0 } < taken)
            try await channel.close()
        }
    }

    @Test func `the work that an address's strangers have queued is bounded, and what somebody has a right to is not`()
        async throws
    {
        var limits = ServerLimits()
        limits.strangerWorkPerNetwork = 2
        let work = SlowWork(limits: limits)
        let stranger = ConnectionPeer(ConnectionStanding(network: PeerNetwork("192.0.2.1"), budget: nil))
        let known = ConnectionPeer()
        known.standing.recognize()
        let gate = Gate()
        async let first: Void = work.run(for: stranger) { gate.wait() }
        async let second: Void = work.run(for: stranger) { gate.wait() }
        // The thread is everybody's: should an expectation fail, it is let go all the same.
        defer { gate.open() }
        try await eventually("both are queued") { work.queued == 2 }
        await #expect(throws: HTTPProblem.self) { try await work.run(for: stranger) {} }
        #expect(try await work.run(for: known) { 1 } == 1)
        #expect(try await work.run { 2 } == 2)
        #expect(!gate.hasGivenUp, "they waited for the work of strangers")
        gate.open()
        _ = try await (first, second)
        #expect(try await work.run(for: stranger) { 3 } == 3)
    }

    // MARK: Support

    private static func withDevice(
        _ limits: ServerLimits, _ test: (TestServer, PlayedDevice) async throws -> Void
    ) async throws {
        try await TestServer.run(limits: limits) { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin) { (device) async throws in
                    try await test(server, device)
                }
            }
        }
    }

    private static func open(_ count: Int, _ server: TestServer, sending text: String) async throws -> [any Channel] {
        var channels: [any Channel] = []
        for _ in 0..<count {
            let channel = try await RawConnection.open(port: server.port, authority: server.authority.certificateDER)
            try await channel.writeAndFlush(ByteBuffer(string: text))
            channels.append(channel)
        }
        return channels
    }
}

/// Holds work until a test lets it go.
private final class Gate: Sendable {
    private let isOpen = Atomic(false)
    private let givesUp = Atomic(false)

    /// Whether work went on before the gate was opened.
    var hasGivenUp: Bool { givesUp.load(ordering: .acquiring) }

    func open() { isOpen.store(true, ordering: .releasing) }

    /// The thread is everybody's: a test that never opens it does not keep it forever.
    func wait() {
        let deadline = ContinuousClock.now + patience
        while !isOpen.load(ordering: .acquiring) {
            guard ContinuousClock.now < deadline else { return givesUp.store(true, ordering: .releasing) }
            usleep(1_000)
        }
    }
}
