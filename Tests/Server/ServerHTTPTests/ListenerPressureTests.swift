import AdminMessages
import CertificateAuthority
import Foundation
import Management
import NIOCore
import ServerHTTP
import Synchronization
import Testing
import Waiting

/// Somebody who listens to what changes and reads none of it: their connection takes nothing more, and nobody else notices.
@Suite(.timeLimit(.minutes(10))) struct ListenerPressureTests {
    /// What a stuck listener got in the end.
    private final class Received: Sendable {
        private let bytes = Mutex<[UInt8]>([])

        var text: String { bytes.withLock { String(decoding: $0, as: UTF8.self) } }

        func take(_ buffer: ByteBuffer) { bytes.withLock { $0 += Array(buffer.readableBytesView) } }
    }

    /// Listens with a narrow connection, and reads nothing from when it is let in.
    private func stuck(_ server: TestServer, _ admin: AdminClient, _ received: Received) async throws -> any Channel {
        let before = server.server.openListeners
        let channel = try await RawConnection.open(
            port: server.port, authority: server.authority.certificateDER, narrow: true, reader: received.take)
        let request = "GET /api/v1/events HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(admin.token)\r\n\r\n"
        try await channel.writeAndFlush(ByteBuffer(string: request)).get()
        try await eventually("it listens") { server.server.openListeners == before + 1 }
        try await channel.setOption(.autoRead, value: false).get()
        return channel
    }

    private static let part = 500
    private static let parts = 10

    /// So many changes in one request, each with a long name.
    private func change(_ round: Int, _ admin: AdminClient) async throws {
        let table = (0..<Self.part).map { "\(round)-\($0)-" + String(repeating: "x", count: 230) }
        let answer = try await admin.send(
            "POST", "/people/import", body: Data("userName\n\(table.joined(separator: "\n"))\n".utf8))
        try #require(answer.status == 200, "\(answer.text)")
    }

    /// Changes are made and told to others while one reads nothing; and for that one nothing is kept: what it missed is
    /// told as a gap when it reads again.
    @Test func aListenerWhoReadsNothingDelaysNobodyAndCostsNothing() async throws {
        var limits = ServerLimits.patient
        limits.stalledWrite = .hours(1)
        var bounds = ChangeHub.Bounds()
        bounds.window = 2 * Self.part
        try await TestServer.run(limits: limits, changes: bounds) { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                let received = Received()
                let channel = try await stuck(server, admin, received)
                try await EventListener.with(server, as: admin, "?kind=person") { (listener) async throws in
                    // Who reads sets the pace, and hears of everything.
                    for round in 1...Self.parts {
                        try await change(round, admin)
                        for _ in 0..<Self.part {
                            guard case .change(let event)? = await listener.next() else { throw NothingHeard() }
                            guard event.name?.hasPrefix("\(round)-") == true else { throw NothingHeard() }
                        }
                    }
                }
                #expect(server.server.openListeners >= 1 && channel.isActive, "it is still there")
                #expect(server.server.listenerTally.resets == 0)
                try await channel.setOption(.autoRead, value: true).get()
                // Reading has to be begun again.
                channel.read()
                try await eventually("it is told of the gap") { received.text.contains("event: reset") }
                let told = received.text.components(separatedBy: "event: change").count - 1
                #expect(told < Self.part * Self.parts / 2, "\(told) of \(Self.part * Self.parts)")
                #expect(server.server.listenerTally.resets == 1)
                #expect(try await admin.send("POST", "/groups", Group(name: "after-the-gap")).status == 201)
                try await eventually("it is told what came after") { received.text.contains("after-the-gap") }
                let rest = received.text.components(separatedBy: "event: reset").last ?? ""
                #expect(rest.components(separatedBy: "event: change").count == 2, "what was missed is not told late")
                try await channel.close().get()
                try await eventually("nobody listens any more") { server.server.openListeners == 0 }
                #expect(server.server.listenerTally.drops(.stalled) == 0)
            }
        }
    }

    /// Who leaves everything unread is let go after a time, and that is counted.
    @Test func aListenerWhoReadsNothingIsLetGo() async throws {
        var limits = ServerLimits.patient
        limits.stalledWrite = .milliseconds(500)
        try await TestServer.run(limits: limits) { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                let channel = try await stuck(server, admin, Received())
                for round in 1...Self.parts { try await change(round, admin) }
                try await eventually("nobody listens any more") { server.server.openListeners == 0 }
                try await eventually("that is counted") { server.server.listenerTally.drops(.stalled) == 1 }
                #expect(server.server.listenerTally.drops(.access) == 0)
                #expect(try await admin.send("GET", "/session").status == 200)
                try? await channel.close().get()
            }
        }
    }

    private struct NothingHeard: Error {}
}
