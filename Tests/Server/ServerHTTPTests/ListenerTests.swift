import AdminMessages
import AsyncHTTPClient
import CertificateAuthority
import DeviceMessages
import Foundation
import InputBounds
import NIOCore
import NIOSSL
import ServerHTTP
import ServiceLifecycle
import TestInputs
import TestLog
import Testing
import Waiting

/// The bounds of the listener.
@Suite struct ListenerTests {
    /// S0-NET-05: no plain text.
    @Test func plainTextIsRefused() async throws {
        try await TestServer.run { (server) async throws in
            let answer = try await RawConnection.exchange(
                port: server.port, tls: false, authority: server.authority.certificateDER,
                Array("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n".utf8))
            #expect(!String(decoding: answer, as: UTF8.self).contains("HTTP/1.1"))
        }
    }

    /// S0-NET-05: no TLS below 1.2.
    @Test func anOlderTLSThanOneTwoIsRefused() async throws {
        try await TestServer.run { (server) async throws in
            for (version, isServed) in [(TLSVersion.tlsv11, false), (.tlsv12, true), (.tlsv13, true)] {
                try await server.client(maximum: version).with { (client) async throws in
                    let answer = try? await client.send("GET", server.baseURL + "/healthz")
                    #expect((answer?.status == 200) == isServed, "\(version)")
                }
            }
        }
    }

    /// RFC 7525 §4, RFC 9325 §4; red while TLS 1.2 was also spoken without authenticated encryption.
    @Test func aCipherOfTLSOneTwoIsAuthenticatedAndForwardSecret() async throws {
        let suites: [(NIOTLSCipher, Bool)] = [
            (.TLS_ECDHE_ECDSA_WITH_AES_128_CBC_SHA, false), (.TLS_ECDHE_ECDSA_WITH_AES_256_CBC_SHA, false),
            (.TLS_RSA_WITH_AES_128_GCM_SHA256, false), (.TLS_ECDHE_ECDSA_WITH_AES_128_GCM_SHA256, true),
            (.TLS_ECDHE_ECDSA_WITH_AES_256_GCM_SHA384, true), (.TLS_ECDHE_ECDSA_WITH_CHACHA20_POLY1305_SHA256, true),
        ]
        try await TestServer.run { (server) async throws in
            for (suite, isServed) in suites {
                try await server.client(maximum: .tlsv12, ciphers: [suite]).with { (client) async throws in
                    let answer = try? await client.send("GET", server.baseURL + "/healthz")
                    #expect((answer?.status == 200) == isServed, "\(suite)")
                }
            }
        }
    }

    /// Also where the operator's own certificate has an RSA key, for which TLS 1.2 has ciphers without forward secrecy.
    @Test func noCipherIsOfferedThatSendsItsKeyToTheCertificate() throws {
        let identity = try SharedAuthority.authority().issueServer(hostnames: ["localhost"], now: Date())
        let offered = ServerTLS.configuration(
            certificateChain: try NIOSSLCertificate.fromPEMBytes(Array(identity.certificatePEM.utf8)),
            key: try NIOSSLPrivateKey(bytes: Array(identity.keyPEM.utf8), format: .pem), limits: .patient
        ).cipherSuiteValues
        #expect(offered.contains(.TLS_ECDHE_RSA_WITH_AES_128_GCM_SHA256))
        let weak: [NIOTLSCipher] = [
            .TLS_RSA_WITH_AES_128_CBC_SHA, .TLS_RSA_WITH_AES_256_CBC_SHA, .TLS_RSA_WITH_AES_128_GCM_SHA256,
            .TLS_RSA_WITH_AES_256_GCM_SHA384, .TLS_ECDHE_RSA_WITH_AES_128_CBC_SHA,
            .TLS_ECDHE_RSA_WITH_AES_256_CBC_SHA,
        ]
        #expect(Set(offered).isDisjoint(with: weak))
    }

    @Test func aHandshakeHasADeadline() async throws {
        var limits = ServerLimits.patient
        limits.handshake = .milliseconds(200)
        try await TestServer.run(limits: limits) { (server) async throws in
            let answer = try await RawConnection.exchange(
                port: server.port, tls: false, authority: server.authority.certificateDER, [])
            #expect(answer.isEmpty)
            try await eventually("the log says so") { server.log.say("handshake has a deadline") }
        }
    }

    @Test func aSilentConnectionIsClosed() async throws {
        var limits = ServerLimits.patient
        limits.idle = .milliseconds(300)
        try await TestServer.run(limits: limits) { (server) async throws in
            let part = "PUT /mdm/command HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\nhalf"
            for bytes in ["", "GET /healthz", part] {
                _ = try await RawConnection.exchange(
                    port: server.port, tls: true, authority: server.authority.certificateDER, Array(bytes.utf8))
            }
        }
    }

    /// A head that comes byte by byte is never silent, and ends nevertheless; `ConnectionBoundsTests` has the rest.
    @Test func aTrickledRequestIsClosed() async throws {
        var limits = ServerLimits.patient
        limits.requestRead = .milliseconds(400)
        try await TestServer.run(limits: limits) { (server) async throws in
            _ = try await RawConnection.exchange(
                port: server.port, tls: true, authority: server.authority.certificateDER,
                Array("GET /healthz HTTP/1.1\r\nx: ".utf8), trickle: UInt8(ascii: "a"))
        }
    }

    /// Beyond its bound the server says so at once, to devices and administrators alike, and then serves again.
    @Test func beyondItsBoundTheServerAnswersComeBackLater() async throws {
        var limits = ServerLimits.patient
        limits.requestsUnderWay = 1
        try await TestServer.run(limits: limits) { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin) { (device) async throws in
                    // A change that waits for the store is under way; a body that does not come would not be.
                    try await HeldWriter.of(server.store) { (writer) async throws in
                        async let change = admin.send("POST", "/groups", Group(name: "later"))
                        try await eventually("the change is under way") {
                            try await admin.client.send("GET", server.baseURL + "/healthz").status == 503
                        }
                        let answers = try await [
                            device.ask(.tokens), device.send("/mdm/command", Data("<plist/>".utf8)),
                            admin.send("GET", "/groups"),
                        ]
                        for answer in answers {
                            #expect(answer.status == 503)
                            #expect(answer.headers["retry-after"] != nil)
                            #expect(answer.headers["x-request-id"]?.count == 16)
                        }
                        writer.letGo()
                        #expect(try await change.status == 201)
                    }
                    try await eventually("it serves again") { try await device.ask(.tokens).status == 200 }
                }
            }
        }
    }

    /// SCEP by GET puts the message into the request line.
    @Test func aRequestLineOf16KiBPassesAndALongerOneDoesNot() async throws {
        try await TestServer.run { (server) async throws in
            try await server.client().with { (client) async throws in
                let path = "/scep?operation=Nothing&message="
                let overhead = "GET  HTTP/1.1".utf8.count + path.utf8.count
                let fits = path + String(repeating: "a", count: 16_384 - overhead)
                // 400 by the route itself: the operation is unknown.
                let answer = try await client.send("GET", server.baseURL + fits)
                #expect(answer.status == 400)
                #expect(answer.text.contains("operation"))
                let long = try await RawConnection.exchange(
                    port: server.port, tls: true, authority: server.authority.certificateDER,
                    Array("GET /\(String(repeating: "a", count: 17_000)) HTTP/1.1\r\nHost: a\r\n\r\n".utf8))
                let text = String(decoding: long, as: UTF8.self)
                #expect(text.hasPrefix("HTTP/1.1 400"))
                #expect(!text.contains("operation"))
            }
        }
    }

    @Test(arguments: [(5, 8_000), (100, 1), (1, 17_000)])
    func oversizedHeadersAreRefused(count: Int, size: Int) async throws {
        let headers = String(repeating: "x: \(String(repeating: "a", count: size))\r\n", count: count)
        try await TestServer.run { (server) async throws in
            let answer = try await RawConnection.exchange(
                port: server.port, tls: true, authority: server.authority.certificateDER,
                Array("GET /healthz HTTP/1.1\r\nHost: a\r\n\(headers)\r\n".utf8))
            #expect(String(decoding: answer, as: UTF8.self).hasPrefix("HTTP/1.1 400"))
        }
    }

    @Test func anOversizedDeviceMessageIsRefused() async throws {
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin) { (device) async throws in
                    let large = Data(count: 2 * 1_024 * 1_024 + 1)
                    #expect(try await device.send("/mdm/checkin", large, signature: "AAAA").status == 413)
                    #expect(try await device.ask(.tokens).status == 200)
                }
            }
        }
    }

    /// One request that never ends may not keep the server from ending.
    @Test func aStopDoesNotWaitForARequestThatNeverEnds() async throws {
        try await TestServer.run { (server) async throws in
            let (sent, source) = AsyncStream<Void>.makeStream()
            async let answer = RawConnection.exchange(
                port: server.port, tls: true, authority: server.authority.certificateDER,
                Array("PUT /scep HTTP/1.1\r\nHost: a\r\nContent-Length: 100\r\n\r\nhalf".utf8)
            ) { source.finish() }
            for await _ in sent {}
            await server.group.triggerGracefulShutdown()
            // Far below every other bound; that a stop takes under a second is for a machine with nothing else to do.
            _ = try await answer
        }
    }

    /// Hostile property lists and JSON at each entrance of devices and administrators: a clear refusal, and the server lives.
    @Test func hostileInputIsRefusedAtEachEntrance() async throws {
        let wrong = Data("<plist><dict><key>MessageType</key><integer>1</integer></dict></plist>".utf8)
        let hostile = Attacks.propertyLists.merging(["wrong type": wrong]) { one, _ in one }
        try await TestServer.run { (server) async throws in
            try await AdminClient.with(server) { (admin) async throws in
                try await PlayedDevice.with(server, admin) { (device) async throws in
                    for (name, body) in hostile {
                        for path in ["/mdm/checkin", "/mdm/command"] {
                            let answer = try await device.send(path, body)
                            #expect(answer.status == 400, "\(name)")
                        }
                        let put = try await admin.send("PUT", "/apps/org.x/configurations/default", body: body)
                        // The wrong type is a sound configuration, of an app that is not there.
                        #expect(put.status == (body == wrong ? 404 : body.count > 1_048_576 ? 413 : 422), "\(name)")
                        #expect(!put.text.contains("lol"))
                        let command = try await admin.send(
                            "POST", "/devices/\(device.identifier.key)/commands", body: body)
                        #expect((400..<500).contains(command.status), "\(name)")
                        #expect(!command.text.contains("lol"))
                    }
                    for (name, body) in Attacks.jsonDocuments {
                        let told = try await device.ask(.status, body)
                        #expect(told.status == 400, "\(name)")
                        let group = try await admin.send("POST", "/groups", body: body)
                        #expect((400..<500).contains(group.status), "\(name)")
                    }
                    #expect(try await device.ask(.tokens).status == 200)
                }
            }
        }
    }
}
