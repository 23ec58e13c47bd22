package import AppMessages
package import Foundation

/// Secrets are asked for one at a time, each time anew: nothing of them stays here.
extension AgentLink {
    // A signature may come from a slow chip, and the device may be at its limits.
    private static let patience = 60_000

    /// A password.
    package func password(_ identifier: String) async throws(ManagedAppError) -> String {
        try await ask(.getSecret(.password, identifier: identifier), PasswordReply.self).password
    }

    /// A certificate in DER.
    package func certificate(_ identifier: String) async throws(ManagedAppError) -> Data {
        try await ask(.getSecret(.certificate, identifier: identifier), CertificateReply.self).certificate
    }

    /// An identity without its private key.
    package func identity(_ identifier: String) async throws(ManagedAppError) -> IdentityReply {
        try await ask(.getSecret(.identity, identifier: identifier), IdentityReply.self)
    }

    /// A signature by an identity's key.
    package func signature(_ request: SignRequest) async throws(ManagedAppError) -> Data {
        try await ask(.sign(request), SignatureReply.self).signature
    }

    /// An identity without its private key, for callers that are no tasks.
    package func identity(
        _ identifier: String, done: @escaping @Sendable (Result<IdentityReply, ManagedAppError>) -> Void
    ) {
        ask(.getSecret(.identity, identifier: identifier), done: done)
    }

    /// A signature, for callers that are no tasks.
    package func signature(
        _ request: SignRequest, done: @escaping @Sendable (Result<SignatureReply, ManagedAppError>) -> Void
    ) {
        ask(.sign(request), done: done)
    }

    /// A signature, for callers that can only wait.
    func waitForSignature(_ request: SignRequest) -> Result<Data, ManagedAppError> {
        guard let path = origin.path else { return .failure(.invalidIdentifier) }
        let reply: Result<VarlinkReply<SignatureReply>, AgentConversation.Ending> = AgentSocket.call(
            .sign(request), at: path, milliseconds: Self.patience)
        return AgentCalls.result(try? reply.get()).map(\.signature)
    }

    private func ask<Reply: Decodable & Sendable>(
        _ call: AppCall, done: @escaping @Sendable (Result<Reply, ManagedAppError>) -> Void
    ) {
        // No agent started this process: nothing is provisioned for it.
        guard let calls else { return done(.failure(.invalidIdentifier)) }
        guard call.isBounded else { return done(.failure(.invalidIdentifier)) }
        calls.ask(call, milliseconds: Self.patience, done: done)
    }

    private func ask<Reply: Decodable & Sendable>(
        _ call: AppCall, _ type: Reply.Type, isolation actor: isolated (any Actor)? = #isolation
    ) async throws(ManagedAppError) -> Reply {
        var attempt = AgentCalls.Attempt<Reply>.busy
        if let calls, call.isBounded, call.isAnsweredAtOnce { attempt = calls.ask(atOnce: call) }
        if case .answered(let result) = attempt { return try result.get() }
        return try await wait(for: call, after: attempt, isolation: actor).get()
    }

    // On the main actor past the pool of threads, as news comes.
    private func wait<Reply: Decodable & Sendable>(
        for call: AppCall, after attempt: AgentCalls.Attempt<Reply>, isolation actor: isolated (any Actor)?
    ) async -> Result<Reply, ManagedAppError> {
        await MainActorHop.wait(isolation: actor) {
            await withCheckedContinuation(isolation: actor) { done in
                if case .owed = attempt, let calls {
                    calls.askOn(call, milliseconds: Self.patience) { done.resume(returning: $0) }
                } else {
                    ask(call) { done.resume(returning: $0) }
                }
            }
        }
    }
}

extension AppCall {
    // The agent's bound; app developers choose shorter ones.
    private static let longestIdentifier = 1_024

    /// Whether an identifier in it can name anything; a longer one would only break the line.
    fileprivate var isBounded: Bool {
        switch self {
        case .getSecret(_, let identifier): identifier.utf8.count <= Self.longestIdentifier
        case .sign(let request): request.identifier.utf8.count <= Self.longestIdentifier
        default: true
        }
    }

    /// Whether the agent has the answer at hand: it waits for no server and for no chip.
    fileprivate var isAnsweredAtOnce: Bool {
        if case .getSecret = self { true } else { false }
    }
}
