import AsyncHTTPClient
import Foundation
import ManagedApp
import ManagedAppNetworking
import NIOCore
import NIOHTTP1
import NIOSSL
import PlayedAgent
import Testing

/// Which servers are believed, and that no others are read: E06.
@Suite(.timeLimit(.minutes(10)))
struct PinningTests {
    private let pinned: TestAuthority
    private let agent: PlayedAgent
    private let link: AgentLink

    init() throws {
        pinned = try TestAuthority("Pinned")
        agent = try PlayedAgent()
        try agent.start()
        let root = try pinned.der()
        agent.change { $0.certificates["pin"] = root }
        link = agent.link()
    }

    private func body(_ trust: ServerTrust, _ url: String) async throws -> String {
        let client = ManagedHTTPClient(ManagedTLS(trust: trust), link: link)
        let response = try await client.execute(HTTPClientRequest(url: url), timeout: .minutes(10))
        return String(buffer: try await response.body.collect(upTo: 1_000))
    }

    // Neither a byte of a request went out nor one of a body came in: the server saw no request.
    private func expectRefusal(_ trust: ServerTrust, _ server: AssetServer) async {
        await #expect(throws: UntrustedServer()) { try await body(trust, server.url) }
        #expect(server.record.requests.isEmpty)
        #expect(server.record.connections == 1)
    }

    /// S1-PIN-01: the server whose authority is pinned is read.
    @Test func aPinnedServerIsRead() async throws {
        try await AssetServer.run(by: pinned) { server in
            for trust in [ServerTrust.only(["pin"]), .also(["pin"])] {
                let body = try await body(trust, server.url)
                #expect(body == "landmarks")
            }
        }
    }

    /// S1-PIN-01, S1-PIN-02, S1-PIN-07: in the right place, with the right name, by somebody else.
    @Test(arguments: [ServerTrust.only(["pin"]), .also(["pin"]), .system])
    func anUnpinnedServerIsRefusedUnread(trust: ServerTrust) async throws {
        try await AssetServer.run(by: TestAuthority("Pinned")) { await expectRefusal(trust, $0) }
    }

    /// S1-PIN-05: the system's authorities count in one mode and not in the other.
    @Test func theSystemsAuthoritiesCountOnlyWhereTheyAreIncluded() async throws {
        let system = try TestAuthority("System")
        let roots = NIOSSLTrustRoots.certificates([try NIOSSLCertificate(bytes: [UInt8](system.der()), format: .der)])
        func ask(_ trust: ServerTrust, _ server: AssetServer) async throws -> UInt {
            let client = ManagedHTTPClient(ManagedTLS(trust: trust), link: link, system: roots)
            return try await client.execute(HTTPClientRequest(url: server.url), timeout: .minutes(10)).status.code
        }
        try await AssetServer.run(by: system) { server in
            for trust in [ServerTrust.also(["pin"]), .system] {
                let status = try await ask(trust, server)
                #expect(status == 200)
            }
            await #expect(throws: UntrustedServer()) { try await ask(.only(["pin"]), server) }
        }
        try await AssetServer.run(by: pinned) { server in
            let included = try await ask(.also(["pin"]), server)
            #expect(included == 200)
            await #expect(throws: UntrustedServer()) { try await ask(.system, server) }
        }
    }

    /// S1-PIN-06: expired.
    @Test func anExpiredCertificateIsRefusedUnread() async throws {
        try await AssetServer.run(by: pinned, until: Date(timeIntervalSinceNow: -60)) {
            await expectRefusal(.only(["pin"]), $0)
        }
    }

    /// S1-PIN-06: another host's.
    @Test func anotherHostsCertificateIsRefusedUnread() async throws {
        try await AssetServer.run(by: pinned, hosts: ["example.com"]) { await expectRefusal(.only(["pin"]), $0) }
    }

    /// S0-NET-05 (the library's half): TLS older than 1.2 is not spoken, even with the right certificate.
    @Test func aServerWithOldTLSIsNotRead() async throws {
        try await AssetServer.run(by: pinned, maximum: .tlsv11) { server in
            for trust in [ServerTrust.only(["pin"]), .also(["pin"])] {
                await #expect(throws: (any Error).self) { try await body(trust, server.url) }
            }
            #expect(server.record.requests.isEmpty && server.record.connections == 2)
        }
    }

    /// S1-PIN-04: what is no certificate, or not there, trusts nobody; it does not fall back to the system.
    @Test func withoutThePinNothingIsSent() async throws {
        agent.change { $0.certificates["garbage"] = Data("garbage".utf8) }
        try await AssetServer.run(by: pinned) { server in
            for trust in [ServerTrust.only(["pin", "garbage"]), .also(["garbage"])] {
                await #expect(throws: ManagedAppError.internalError) { try await body(trust, server.url) }
            }
            await #expect(throws: ManagedAppError.invalidIdentifier) { try await body(.only(["none"]), server.url) }
            #expect(server.record.connections == 0)
            await expectRefusal(.only([]), server)
        }
    }

    /// S1-CFG-03: a certificate of another origin is a pin like a provisioned one, alone and beside one.
    @Test func aCertificateFromTheConfigurationIsAPin() async throws {
        let configured = try TestAuthority("Configured")
        let pin = try #require(SecCertificateCreateWithData(nil, configured.der()))
        try await AssetServer.run(by: configured) { server in
            for trust in [
                ServerTrust.only(certificates: [pin]), .also(certificates: [pin]), .only(["pin"], certificates: [pin]),
            ] {
                let body = try await body(trust, server.url)
                #expect(body == "landmarks")
            }
        }
        try await AssetServer.run(by: pinned) { server in
            let both = try await body(.only(["pin"], certificates: [pin]), server.url)
            #expect(both == "landmarks")
        }
        for trust in [ServerTrust.only(certificates: [pin]), .also(certificates: [pin])] {
            try await AssetServer.run(by: pinned) { await expectRefusal(trust, $0) }
        }
    }

    /// S1-PIN-09: after the pin was put right the next request of the same client succeeds, and the other way round.
    @Test func aChangedPinCountsFromTheNextRequest() async throws {
        let another = try TestAuthority("Another")
        try await AssetServer.run(by: another) { server in
            let client = ManagedHTTPClient(ManagedTLS(trust: .only(["pin"])), link: link)
            func ask() async throws -> UInt {
                try await client.execute(HTTPClientRequest(url: server.url), timeout: .minutes(10)).status.code
            }
            await #expect(throws: UntrustedServer()) { try await ask() }
            let root = try another.der()
            agent.change { $0.certificates["pin"] = root }
            let status = try await ask()
            #expect(status == 200)
            let former = try pinned.der()
            agent.change { $0.certificates["pin"] = former }
            await #expect(throws: UntrustedServer()) { try await ask() }
            #expect(server.record.requests.count == 1)
        }
    }
}
