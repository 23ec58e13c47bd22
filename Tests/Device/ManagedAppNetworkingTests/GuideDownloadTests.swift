import ClientOfNetworking
import Foundation
import ManagedApp
import ManagedAppNetworking
import PlayedAgent
import Testing

/// The guide's download, which takes the place of a `URLSession` with a delegate: D1.
@Suite(.timeLimit(.minutes(10)))
struct GuideDownloadTests {
    private let authority: TestAuthority
    private let agent: PlayedAgent

    init() throws {
        authority = try TestAuthority("Organization")
        agent = try PlayedAgent()
        try agent.start()
        let root = try authority.der()
        agent.change { $0.certificates["asset-authority"] = root }
    }

    private var download: AssetDownload {
        AssetDownload(
            client: ManagedHTTPClient(
                ManagedTLS(identity: "asset-server", trust: .only(["asset-authority"])), link: agent.link()))
    }

    /// S4-SECRET-07: the server is given the identity, and the app's other code gets data and nothing of TLS.
    @Test func theDownloadAuthenticatesWithTheIdentity() async throws {
        let identity = try PlayedIdentity("device-1", by: authority)
        agent.change { $0.identities["asset-server"] = identity }
        try await AssetServer.run(by: authority, clients: authority) { server in
            let url = try #require(URL(string: server.url))
            let data = try await download.data(from: url)
            #expect(String(decoding: data, as: UTF8.self) == "landmarks")
            #expect(server.record.requests == ["CN=device-1,O=Example"])
        }
    }

    /// S4-SECRET-08, S1-PIN-01: without the identity, or with another server, nothing is sent.
    @Test func theDownloadIsCancelledWithoutTheIdentityOrTheServer() async throws {
        try await AssetServer.run(by: authority, clients: authority) { server in
            let url = try #require(URL(string: server.url))
            await #expect(throws: ManagedAppError.invalidIdentifier) { try await download.data(from: url) }
        }
        let identity = try PlayedIdentity("device-1", by: authority)
        agent.change { $0.identities["asset-server"] = identity }
        try await AssetServer.run(by: try TestAuthority("Another")) { server in
            let url = try #require(URL(string: server.url))
            await #expect(throws: UntrustedServer.self) { try await download.data(from: url) }
            #expect(server.record.requests.isEmpty)
        }
    }
}
