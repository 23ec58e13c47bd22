import AsyncHTTPClient
import CertificateAuthority
import Foundation
import InputBounds
import NIOCore
import NIOSSL
import ServerHTTP
import Testing

/// A server on a socket that somebody else opened, as systemd does.
@Suite struct HandedListenerTests {
    @Test func aHandedSocketIsServedAsOneOfOurOwn() async throws {
        let socket = try ListeningSocket()
        try await TestServer.run(handed: socket) { (server) async throws in
            #expect(server.port == socket.port)
            try await server.client().with { (client) async throws in
                let answer = try await client.send("GET", server.baseURL + "/healthz")
                #expect(answer.status == 200 && answer.text == "ok\n")
                let told = try #require(answer.headers["date"].flatMap(HTTPDate.date))
                // Of today, however long the answer took.
                #expect(abs(told.timeIntervalSinceNow) < 3_600)
                #expect(try await client.send("GET", server.baseURL + "/nowhere").status == 404)
            }
        }
        // Its connections are bounded alike.
        var limits = ServerLimits.patient
        limits.handshake = .milliseconds(200)
        try await TestServer.run(limits: limits, handed: socket) { (server) async throws in
            let silent = try await RawConnection.exchange(
                port: server.port, tls: false, authority: server.authority.certificateDER, [])
            #expect(silent.isEmpty)
        }
    }

    /// Nobody is turned away by an upgrade: the socket is there before, between and after.
    @Test func whoComesBetweenTwoServersIsAnsweredByTheSecond() async throws {
        let socket = try ListeningSocket()
        let authority = try await TestServer.run(handed: socket) { (server) async throws in
            server.authority.certificateDER
        }
        let early = Task {
            try await RawConnection.exchange(
                port: socket.port, tls: true, authority: authority,
                Array("GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n".utf8))
        }
        try await socket.someoneWaits()
        try await TestServer.run(handed: socket) { (_) async throws in
            let answer = try await early.value
            #expect(String(decoding: answer, as: UTF8.self).hasPrefix("HTTP/1.1 200"))
        }
    }
}
