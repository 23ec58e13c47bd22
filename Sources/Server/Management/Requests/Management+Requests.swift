package import Foundation

/// What is to be done about a request with a key.
package enum RequestTurn: Sendable, Equatable {
    /// It is carried out now; whatever is changed meanwhile bears this mark.
    case first(RequestMark)
    case underWay
    /// It was carried out, wholly or in part, and nobody knows what would have been answered.
    case unanswered
    /// It was carried out, and answered so.
    case repeated(Data)
    /// The key was given to another request.
    case another
}

extension Management {
    /// Begins a request with a key, or says what came of it.
    package func begin(_ key: RequestKey, fingerprint: Data) async throws -> RequestTurn {
        let mark = RequestMark(digest: key.digest, life: life)
        let request = BegunRequest(mark: mark, principal: key.principal, fingerprint: fingerprint, now: moment)
        switch try await store.beginRequest(request) {
        case .begun: return .first(mark)
        case .underWay: return .underWay
        case .unanswered: return .unanswered
        case .another: return .another
        case .answered(let answer):
            return masterKeys.present.open(answer, to: key).map { .repeated($0) } ?? .unanswered
        }
    }

    /// Keeps what a request with a key was answered.
    package func keep(_ answer: Data, to key: RequestKey) async throws {
        let mark = RequestMark(digest: key.digest, life: life)
        guard answer.count <= RequestLimits.answerBytes else {
            _ = try await store.endRequest(mark)
            return
        }
        try await store.keepAnswer(masterKeys.present.seal(answer, to: key), to: mark)
    }

    /// A request with a key ended without an answer worth keeping; says whether it left no trace.
    package func end(_ key: RequestKey) async throws -> Bool {
        try await store.endRequest(RequestMark(digest: key.digest, life: life))
    }
}
