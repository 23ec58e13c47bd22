import AsyncHTTPClient
import CryptoExtras
import Foundation
import ManagedApp
import ManagedAppNetworking
import NIOCore
import NIOHTTP1
import NIOSSL
import PlayedAgent
import Testing

/// Mutual TLS with a key that only the agent has: A24, A06.
@Suite(.timeLimit(.minutes(10)))
struct MutualTLSTests {
    private let authority: TestAuthority
    private let agent: PlayedAgent
    private let link: AgentLink

    init() throws {
        authority = try TestAuthority("Organization")
        agent = try PlayedAgent()
        try agent.start()
        let root = try authority.der()
        agent.change { $0.certificates["root"] = root }
        link = agent.link()
    }

    private func client(identity: String? = "asset-server") -> ManagedHTTPClient {
        ManagedHTTPClient(ManagedTLS(identity: identity, trust: .only(["root"])), link: link)
    }

    private func body(_ client: ManagedHTTPClient, _ url: String) async throws -> String {
        let response = try await client.execute(HTTPClientRequest(url: url), timeout: .minutes(10))
        return String(buffer: try await response.body.collect(upTo: 1_000))
    }

    enum Key: CaseIterable {
        case p256, p384, rsa

        func make() throws -> PlayedIdentity.Key {
            switch self {
            case .p256: .p256(.init())
            case .p384: .p384(.init())
            case .rsa: .rsa(try .init(keySize: .bits2048))
            }
        }
    }

    /// S4-SECRET-07, S4-CAP-02: the server knows the device by its certificate, and the key was never here.
    @Test(arguments: Key.allCases, [TLSVersion.tlsv12, .tlsv13])
    func aServerThatAsksGetsTheIdentity(key: Key, version: TLSVersion) async throws {
        let identity = try PlayedIdentity("device-1", by: authority, key: key.make())
        agent.change { $0.identities["asset-server"] = identity }
        try await AssetServer.run(by: authority, clients: authority, maximum: version) { server in
            let body = try await body(client(), server.url)
            #expect(body == "landmarks")
            #expect(server.record.requests == ["CN=device-1,O=Example"])
            #expect(agent.calls.filter { $0 == "Sign" }.count == 1)
        }
    }

    /// The device names its identity only to servers that ask for it.
    @Test func aServerThatDoesNotAskIsToldNothing() async throws {
        let identity = try PlayedIdentity("device-1", by: authority)
        agent.change { $0.identities["asset-server"] = identity }
        try await AssetServer.run(by: authority) { server in
            let body = try await body(client(), server.url)
            #expect(body == "landmarks")
            #expect(server.record.requests == [""])
            #expect(!agent.calls.contains("Sign"))
        }
    }

    /// S4-SECRET-08: without the identity the request is not sent, with or without a connection that is still open.
    @Test func withoutTheIdentityNothingIsSent() async throws {
        try await AssetServer.run(by: authority, clients: authority) { server in
            let client = client()
            await #expect(throws: ManagedAppError.invalidIdentifier) { try await body(client, server.url) }
            #expect(server.record.connections == 0)
            let identity = try PlayedIdentity("device-1", by: authority)
            agent.change { $0.identities["asset-server"] = identity }
            let text = try await body(client, server.url)
            #expect(text == "landmarks")
            agent.change { $0.identities["asset-server"] = nil }
            await #expect(throws: ManagedAppError.invalidIdentifier) { try await body(client, server.url) }
            #expect(server.record.requests.count == 1)
            #expect(server.record.connections == 1)
        }
    }

    /// S4-BP-03: looked up each time, a new identity is used by the next request of a client that stays open.
    @Test func aRenewedIdentityIsUsedWithoutARestart() async throws {
        try await AssetServer.run(by: authority, clients: authority) { server in
            let client = client()
            for name in ["one", "one", "two", "three", "three"] {
                if server.record.requests.last != "CN=\(name),O=Example" {
                    let identity = try PlayedIdentity(name, by: authority)
                    agent.change { $0.identities["asset-server"] = identity }
                }
                let body = try await body(client, server.url)
                #expect(body == "landmarks")
                #expect(server.record.requests.last == "CN=\(name),O=Example")
            }
            // Connections are kept as long as the identity stays the same.
            #expect(server.record.connections == 3)
        }
    }

    /// A server of another organization refuses the certificate; one that trusts it gets no signature of another key.
    @Test func aCertificateOfAnotherAuthorityIsRefused() async throws {
        let identity = try PlayedIdentity("device-1", by: TestAuthority("Another"))
        agent.change { $0.identities["asset-server"] = identity }
        try await AssetServer.run(by: authority, clients: authority) { server in
            await #expect(throws: (any Error).self) { try await body(client(), server.url) }
            #expect(server.record.requests.isEmpty)
        }
    }

    /// An agent that refuses to sign: the app hears of it at once, and nothing is sent.
    @Test func anAgentThatDoesNotSignEndsTheHandshake() async throws {
        let identity = try PlayedIdentity("device-1", by: authority)
        agent.change { secrets in
            secrets.identities["asset-server"] = identity
            secrets.refusesToSign = true
        }
        try await AssetServer.run(by: authority, clients: authority) { server in
            // The agent's own word, which no time limit would have brought.
            await #expect(throws: ManagedAppError.serverError) { try await body(client(), server.url) }
            #expect(server.record.requests.isEmpty)
        }
    }

    /// S4-SECRET-08: another client's handshake, too, ends when the identity is not there, and it gets a new one each time.
    @Test func anyClientOfNIOGetsTheIdentityForEachConnection() async throws {
        var configuration = TLSConfiguration.makeClientConfiguration()
        configuration.trustRoots = .certificates([try NIOSSLCertificate(bytes: [UInt8](authority.der()), format: .der)])
        configuration.authenticate(withIdentity: "asset-server", link: link)
        var options = HTTPClient.Configuration(tlsConfiguration: configuration)
        options.connectionPool.retryConnectionEstablishment = false
        options.timeout.connect = .minutes(10)
        let settings = options
        try await AssetServer.run(by: authority, clients: authority) { server in
            for name in ["one", nil, "two"] {
                let identity = try name.map { try PlayedIdentity($0, by: authority) }
                agent.change { $0.identities["asset-server"] = identity }
                let client = HTTPClient(eventLoopGroupProvider: .singleton, configuration: settings)
                let request = HTTPClientRequest(url: server.url)
                if name == nil {
                    await #expect(throws: ManagedAppError.invalidIdentifier) {
                        try await client.execute(request, timeout: .minutes(10))
                    }
                } else {
                    let response = try? await client.execute(request, timeout: .minutes(10))
                    #expect(response?.status == .ok)
                }
                try await client.shutdown()
            }
            #expect(server.record.requests == ["CN=one,O=Example", "CN=two,O=Example"])
        }
    }

    /// In clear there would be neither identity nor pin: refused before anything is looked up.
    @Test(arguments: ["http://localhost:1/", "HTTP://localhost:1/", "unix:///tmp/x", "http+unix://%2Ftmp/x", ""])
    func onlyHTTPSIsAsked(url: String) async throws {
        await #expect(throws: HTTPClientError.invalidURL) { try await body(client(), url) }
        #expect(agent.calls.isEmpty)
    }
}
