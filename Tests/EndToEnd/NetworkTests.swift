import CertificateAuthority
import Crypto
import Foundation
import NIOSSL
import Testing
import Waiting

/// What an attacker on the network sees of the road, and gets by putting themselves in its way.
///
/// K01, S2-NET-01, S2-NET-02, S0-NET-05.
@Suite(.serialized, .inTurn, .timeLimit(.minutes(20)))
struct NetworkTests {
    /// S2-NET-01: a sniffer between the machines sees nothing of what they say.
    @Test func aCaptureHoldsNeitherConfigurationNorCodeNorTokens() async throws {
        try await withRelay { road, relay in
            try await road.configure("Nobody-may-read-this-title")
            try await road.assign()
            let code = try await road.enrollmentCode()
            try await road.enroll(code: code)
            try await road.synchronised()
            let app = try road.openLandmarks()
            _ = try await app.line(containing: "Nobody-may-read-this-title")
            let session = try JSONSerialization.jsonObject(
                with: Data(contentsOf: road.home.appending(path: "session.json")))
            let token = try #require((session as? [String: Any])?["token"] as? String)

            let captured = relay.captured
            // The capture is one: names of servers are in the clear, and more than a few bytes passed.
            #expect(captured.contains { $0.range(of: Data("localhost".utf8)) != nil })
            #expect(captured.reduce(0) { $0 + $1.count } > 20_000)
            for secret in [
                "Nobody-may-read-this-title", "managedCollection", code, token, road.password, road.udid, "PushMagic",
                "Bearer", "DeclarationsToken", "HTTP/1.1",
            ] {
                for form in [Data(secret.utf8), Data(Data(secret.utf8).base64EncodedString().dropLast(4).utf8)] {
                    #expect(!captured.contains { $0.range(of: form) != nil }, "\(secret)")
                }
            }
        }
    }

    /// S2-NET-01: a proxy whose authority is not the enrolled one gets no word, neither of the agent nor of the tool.
    @Test func anInterceptingProxyIsRefusedByAgentAndTool() async throws {
        try await withRelay { road, relay in
            try await road.enrollConfigured("Kept")
            let code = try await road.enrollmentCode()

            // One of a stranger; and one that shows the real authority's certificate behind a stranger's own.
            let stranger = try Authority.create(commonName: "Martlet device authority", now: Date())
            let real = try NIOSSLCertificate.fromPEMFile(road.authority)
            for further in [[], real] {
                relay.change(to: .intercept(try context(of: stranger, further: further)))
                let fingerprint = try Authority.fingerprint(ofPEM: road.authority)
                for trust in [["--ca-file", road.authority], ["--ca-fingerprint", fingerprint]] {
                    let enrolled = try await road.run(
                        "martlet-agent",
                        [
                            "enroll", "--url", relay.url, "--code-file", road.codeFile(code), "--directory",
                            road.home.path + "/other",
                        ] + trust
                    )
                    #expect(enrolled.status != 0)
                    #expect(!enrolled.text.contains(code))
                }
                let shown = try await road.run("martlet", ["device", "list"])
                #expect(shown.status != 0)
                #expect(shown.text.localizedCaseInsensitiveContains("certificate"), "\(shown.text)")
                let login = try await road.run(
                    "martlet", ["login", "--server", relay.url, "--ca-file", road.authority, "--password-stdin"],
                    input: road.password + "\n")
                #expect(login.status != 0)
                // The running agent tries again and again, and is not taken in either.
                let before = relay.loot.refusals
                try await eventually("the agent tries") { relay.loot.refusals > before }
                #expect(relay.loot.handshakes == 0)
                #expect(relay.loot.said.isEmpty)
            }
            // Nothing was lost by it: the code is unused, the configuration is there, and the next change arrives.
            relay.change(to: .pass)
            let app = try road.openLandmarks()
            _ = try await app.line(containing: "Managed Collection: Kept")
            try await road.configure("After the attack")
            _ = try await app.line(containing: "Managed Collection: After the attack")
            let enrolled = try await road.run(
                "martlet-agent",
                [
                    "enroll", "--url", relay.url, "--code-file", road.codeFile(code), "--directory",
                    road.home.path + "/other",
                    "--ca-file", road.authority,
                ])
            #expect(enrolled.status == 0, "\(enrolled.text)")
        }
    }

    /// S0-NET-05: neither client speaks without TLS, or with TLS below 1.2, even to the right certificate.
    @Test func oldTLSAndPlainTextAreRefusedByAgentAndTool() async throws {
        try await withRelay { road, relay in
            let code = try await road.enrollmentCode()
            var old = try ownContext(road)
            (old.minimumTLSVersion, old.maximumTLSVersion) = (.tlsv1, .tlsv11)
            for mode in [Relay.Mode.intercept(try NIOSSLContext(configuration: old)), .plain] {
                relay.change(to: mode)
                let enrolled = try await road.run(
                    "martlet-agent",
                    [
                        "enroll", "--url", relay.url, "--code-file", road.codeFile(code), "--directory",
                        road.home.path + "/other",
                        "--ca-file", road.authority,
                    ])
                #expect(enrolled.status != 0)
                #expect(try await road.run("martlet", ["device", "list"]).status != 0)
                #expect(relay.loot.handshakes == 0)
                for secret in ["HTTP/1.1", code, "Bearer"] {
                    #expect(relay.loot.said.range(of: Data(secret.utf8)) == nil)
                }
            }
            let address = relay.url.replacingOccurrences(of: "https:", with: "http:")
            relay.change(to: .plain)
            let enrolled = try await road.run(
                "martlet-agent",
                [
                    "enroll", "--url", address, "--code-file", road.codeFile(code), "--directory",
                    road.home.path + "/other",
                    "--ca-file", road.authority,
                ])
            #expect(enrolled.status != 0)
            let login = try await road.run(
                "martlet", ["login", "--server", address, "--ca-file", road.authority, "--password-stdin"],
                input: road.password + "\n")
            #expect(login.status != 0)
            #expect(relay.loot.said.isEmpty)
        }
    }

    /// S2-NET-02: on the device's channel both sides prove who they are; the tool shows no certificate.
    @Test func theDevicesChannelIsMutual() async throws {
        try await withRelay { road, relay in
            try await road.enroll()
            try await road.synchronised()
            relay.change(to: .intercept(try NIOSSLContext(configuration: ownContext(road))))
            let certificate = try await eventually("the agent shows a certificate") { relay.loot.certificate }
            let authority = try Authority(
                certificatePEM: String(contentsOfFile: road.authority, encoding: .utf8),
                keyPEM: String(contentsOf: road.home.appending(path: "server/ca.key"), encoding: .utf8))
            guard case .issuedByUs = authority.judge(certificate, now: Date()) else {
                Issue.record("the agent showed another certificate than the one of its enrollment")
                return
            }
        }
    }

    // MARK: Support

    private func withRelay(_ body: (Road, Relay) async throws -> Void) async throws {
        let relay = try await Relay()
        defer { relay.stop() }
        try await Road.with(through: relay) { road in try await body(road, relay) }
    }

    /// A certificate for the right name by another authority.
    private func context(of authority: Authority, further: [NIOSSLCertificate]) throws -> NIOSSLContext {
        let identity = try authority.issueServer(hostnames: ["localhost", "127.0.0.1"], now: Date())
        let chain = try NIOSSLCertificate.fromPEMBytes(Array(identity.certificatePEM.utf8)) + further
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: chain.map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: Array(identity.keyPEM.utf8), format: .pem)))
        tls.applicationProtocols = ["http/1.1"]
        return try NIOSSLContext(configuration: tls)
    }

    /// The server's own certificate and key, as a thief of its machine has them.
    private func ownContext(_ road: Road) throws -> TLSConfiguration {
        let bytes = Array(try Data(contentsOf: road.home.appending(path: "server/issued-server.pem")))
        var tls = TLSConfiguration.makeServerConfiguration(
            certificateChain: try NIOSSLCertificate.fromPEMBytes(bytes).map { .certificate($0) },
            privateKey: .privateKey(try NIOSSLPrivateKey(bytes: bytes, format: .pem)))
        tls.applicationProtocols = ["http/1.1"]
        tls.certificateVerification = .optionalVerification
        return tls
    }
}

extension Authority {
    /// The SHA-256 of the certificate in a file, as the agent is told it.
    fileprivate static func fingerprint(ofPEM path: String) throws -> String {
        let certificate = try #require(try NIOSSLCertificate.fromPEMFile(path).first)
        return SHA256.hash(data: try certificate.toDERBytes()).map { String(format: "%02x", $0) }.joined()
    }
}
