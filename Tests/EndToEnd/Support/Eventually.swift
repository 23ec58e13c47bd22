import Waiting

/// Asks again until there is an answer or the time is up.
func eventually<Answer>(_ ask: () async throws -> Answer?) async throws -> Answer? {
    do {
        return try await Waiting.eventually { try await ask() }
    } catch is DidNotHappen {
        return nil
    }
}
