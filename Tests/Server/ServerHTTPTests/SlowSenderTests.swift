import AdminMessages
import CertificateAuthority
import Foundation
import NIOCore
import Testing

/// Changes of one thing take turns, and nobody waits for more than the change of another.
@Suite(.timeLimit(.minutes(10))) struct SlowSenderTests {
    /// Who sends a change of the same thing slowly has no turn yet.
    @Test func aSlowSenderKeepsNobodyWaiting() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                let path = "/apps/com.example.new"
                let channel = try await RawConnection.open(
                    port: server.port, authority: server.authority.certificateDER)
                let head = """
                    PUT /api/v1\(path) HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer \(admin.token)\r\n\
                    Content-Type: application/json\r\nContent-Length: 200\r\n\r\n{
                    """
                try await channel.writeAndFlush(ByteBuffer(string: head)).get()
                // What was sent is read while others come and go.
                for round in 1...10 {
                    let app = App(bundleIdentifier: "com.example.new", name: "\(round)")
                    #expect(try await admin.send("PUT", path, app).status == 200)
                }
                #expect(channel.isActive, "it is still sending")
                try await channel.close().get()
            }
        }
    }
}
