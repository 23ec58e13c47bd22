import AsyncHTTPClient
import ManagedApp
import ManagedAppNetworking
import NIOCore
import Testing

/// The samples of the guide for app developers, in a process that no agent started: they end where the secrets are missing.
@Suite(.timeLimit(.minutes(10)))
struct GuideTests {
    private let assetURL = "https://localhost:1/landmarks"

    /// S4-SECRET-08, S4-SECRET-09: three lines, none of which knows of keys or requests for certificates.
    @Test func threeLinesOfMutualTLSAreCancelledWithoutAnIdentity() async throws {
        await #expect(throws: ManagedAppError.invalidIdentifier) { try await landmarks() }
    }

    private func landmarks() async throws -> ByteBuffer {
        let client = ManagedHTTPClient(ManagedTLS(identity: "asset-server"))
        let response = try await client.execute(HTTPClientRequest(url: assetURL), timeout: .seconds(30))
        let landmarks = try await response.body.collect(upTo: 1_048_576)
        return landmarks
    }

    /// S1-PIN-04, S1-PIN-08: without the pin nothing is asked, and that is another error than a server that is not believed.
    @Test func pinningIsCancelledWithoutThePin() async throws {
        await #expect(throws: ManagedAppError.invalidIdentifier) { try await pinned() }
    }

    private func pinned() async throws {
        let client = ManagedHTTPClient(ManagedTLS(identity: "asset-server", trust: .only(["asset-authority"])))
        do {
            let response = try await client.execute(HTTPClientRequest(url: assetURL), timeout: .seconds(30))
            show(response)
        } catch is UntrustedServer {
            say("This is not the server that your administrator named.")
        }
    }

    private func show(_ response: HTTPClientResponse) {}

    private func say(_ text: String) {}
}
