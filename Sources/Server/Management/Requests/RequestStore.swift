package import Foundation

/// Requests with a key, as a store keeps them: begun, marked by the transaction of their first change, answered.
package protocol RequestStore: Sendable {
    /// Begins a request, or says how far it has come. One that changed nothing before its server ended is begun anew.
    func beginRequest(_ request: BegunRequest) async throws -> RequestStanding
    /// Keeps what was answered.
    func keepAnswer(_ answer: SealedAnswer, to mark: RequestMark) async throws
    /// Forgets a request that changed nothing; one that did is under way no more. Answers whether it is forgotten.
    func endRequest(_ mark: RequestMark) async throws -> Bool
}

/// Which request is being carried out, for the store: whatever it writes meanwhile is this request's change.
package struct RequestMark: Sendable, Equatable {
    @TaskLocal package static var current: RequestMark?

    package let digest: Data
    /// The server's life in which it was begun: what an earlier one began is under way no more.
    package let life: Data

    package init(digest: Data, life: Data) {
        self.digest = digest
        self.life = life
    }
}

/// A request that is to be begun.
package struct BegunRequest: Sendable {
    package let mark: RequestMark
    package let principal: String
    package let fingerprint: Data
    package let now: Date

    package init(mark: RequestMark, principal: String, fingerprint: Data, now: Date) {
        self.mark = mark
        self.principal = principal
        self.fingerprint = fingerprint
        self.now = now
    }
}

/// How far a request with a key has come.
package enum RequestStanding: Sendable, Equatable {
    /// It is the caller's to carry out.
    case begun
    case underWay
    /// It changed something, and its answer was lost with the server that would have given it.
    case unanswered
    case answered(SealedAnswer)
    /// The key was given to another request.
    case another
}

/// How much is kept of requests.
package enum RequestLimits {
    /// After so long a client does not repeat a request.
    package static let seconds: TimeInterval = 24 * 3_600
    /// Of one principal; of more, those that were answered first are forgotten.
    package static let most = 10_000
    /// Larger answers are not kept; those to changes are far below.
    package static let answerBytes = 256 * 1_024
}
