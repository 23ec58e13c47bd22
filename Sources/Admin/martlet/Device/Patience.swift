/// Asks again and again until something has happened, and gives up on time.
struct Patience: Sendable {
    private let limit: Duration
    private let purpose: String

    init(_ limit: Duration, for purpose: String) {
        self.limit = limit
        self.purpose = purpose
    }

    /// The first answer of `ask`, or nothing when the time is over.
    ///
    /// Asks more slowly the longer it takes.
    func wait<Value>(_ ask: () async throws -> Value?) async throws -> Value? {
        let clock = ContinuousClock()
        let deadline = clock.now.advanced(by: limit)
        return try await Progress.during(purpose) {
            var pause = Duration.milliseconds(50)
            while true {
                if let value = try await ask() { return value }
                guard clock.now.advanced(by: pause) < deadline else { return nil }
                try await clock.sleep(for: pause)
                pause = min(pause * 3 / 2, .seconds(1))
            }
        }
    }
}
