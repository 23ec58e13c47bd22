package import AppMessages
import Foundation

/// Secrets are asked for one at a time, each on a connection of its own.
extension AgentLink {
    // A secret may have to come from a server.
    private static let secretPatience = 60_000

    /// The bytes of a secret's reply.
    package func secret(_ kind: SecretKind, _ identifier: String) async throws(ManagedAppError) -> String {
        guard let path = origin.path else { throw .invalidIdentifier }
        let reply = await withCheckedContinuation {
            (done: CheckedContinuation<Result<String, ManagedAppError>, Never>) in
            Thread.detachNewThread {
                let reply: VarlinkReply<SecretReply>? = AgentSocket.call(
                    .getSecret(kind, identifier: identifier), at: path, milliseconds: Self.secretPatience)
                done.resume(returning: Self.result(reply))
            }
        }
        return try reply.get()
    }

    private static func result(_ reply: VarlinkReply<SecretReply>?) -> Result<String, ManagedAppError> {
        switch reply?.result {
        case .success(let reply)?:
            if let secret = reply.password { .success(secret) } else { .failure(.internalError) }
        case .failure(.invalidIdentifier)?, .failure(.permissionDenied)?: .failure(.invalidIdentifier)
        case .failure(.serverError)?: .failure(.serverError)
        case .failure?, nil: .failure(.internalError)
        }
    }

    private struct SecretReply: Decodable {
        let password: String?
    }
}
