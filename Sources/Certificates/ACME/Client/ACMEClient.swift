import Foundation
package import InputBounds

/// Drives an exchange over a function that sends requests.
package struct ACMEClient: Sendable {
    /// Sends one request and reads at most `ACMEHTTPResponse.sizeLimit` bytes of its answer, within a time of its own.
    package typealias Send = @Sendable (ACMEHTTPRequest) async throws -> ACMEHTTPResponse
    /// Makes an identifier's proof ready and returns what to post to the challenge.
    package typealias Prove =
        @Sendable (ACMEChallenge, _ identifier: String, _ keyAuthorization: String) async throws ->
        JSONValue

    private let send: Send
    private let prove: Prove
    private let pause: @Sendable (Int) async throws -> Void

    package init(
        send: @escaping Send, prove: @escaping Prove,
        pause: @escaping @Sendable (Int) async throws -> Void = { try await Task.sleep(for: .seconds($0)) }
    ) {
        self.send = send
        self.prove = prove
        self.pause = pause
    }

    /// Obtains a certificate; how long that may take altogether, the caller bounds by canceling.
    package func obtain(_ wish: ACMEExchange.Wish) async throws -> ACMEChain {
        var exchange = try ACMEExchange(wish)
        var action = exchange.begin()
        while true {
            try Task.checkCancellation()
            switch action {
            case .send(let request): action = try exchange.received(try await send(request))
            case .prove(let challenge, let identifier, let keyAuthorization):
                action = try exchange.proved(try await prove(challenge, identifier, keyAuthorization))
            case .wait(let seconds):
                try await pause(seconds)
                action = try exchange.waited()
            case .finished(let chain): return chain
            }
        }
    }
}
