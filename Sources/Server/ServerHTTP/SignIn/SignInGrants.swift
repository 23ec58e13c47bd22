import Foundation
import Management
import OpenIDConnect
import Synchronization

/// What a program is given in the browser's stead: good once, for a minute, for who has the verifier.
final class SignInGrants: Sendable {
    private static let validSeconds: TimeInterval = 60
    private static let most = 1_000

    private struct Grant: Sendable {
        let identity: ExternalIdentity
        let challenge: String
        let made: Date
    }

    private let grants = Mutex<[Data: Grant]>([:])

    func add(_ text: String, for identity: ExternalIdentity, challenge: String, now: Date) {
        grants.withLock { grants in
            grants = grants.filter { now < $0.value.made.addingTimeInterval(Self.validSeconds) }
            guard grants.count < Self.most else { return }
            grants[Proof.digest(text)] = Grant(identity: identity, challenge: challenge, made: now)
        }
    }

    /// Redeems a grant and returns its identity; the grant is used up in any case.
    func take(_ text: String, verifier: String, now: Date) -> ExternalIdentity? {
        let grant = grants.withLock { $0.removeValue(forKey: Proof.digest(text)) }
        guard let grant, now < grant.made.addingTimeInterval(Self.validSeconds),
            grant.challenge == Proof.challenge(of: verifier)
        else { return nil }
        return grant.identity
    }
}
