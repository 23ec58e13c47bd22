/// How long a test waits for what must come: far beyond what a busy machine takes, and below the time limit of a suite.
package let patience = Duration.seconds(240)

/// What a test waited for and did not see.
package struct DidNotHappen: Error, CustomStringConvertible {
    package let description: String

    package init(description: String) { self.description = description }
}

/// Waits for a state: asks again and again, at first after two milliseconds, later after up to 32.
///
/// `what` is said when it does not come. The last look is after the end of `limit`, so that a test that was held up still
/// sees what came. `ask` answers nil as long as it is not there. After a look that takes long, because it starts a
/// program, comes a pause three times as long, of a second at most: tests that wait leave the processor to what they
/// wait for.
@discardableResult
package func eventually<Answer>(
    _ what: @autoclosure () -> String = "what was waited for", within limit: Duration = patience,
    _ ask: () async throws -> Answer?
) async throws -> Answer {
    let deadline = ContinuousClock.now + limit
    var pause = Duration.milliseconds(2)
    while true {
        let isLast = ContinuousClock.now >= deadline
        let began = ContinuousClock.now
        if let answer = try await ask() { return answer }
        guard !isLast else { throw DidNotHappen(description: "\(what()): not within \(limit)") }
        let look = ContinuousClock.now - began
        try await Task.sleep(for: max(pause, min(look * 3, .seconds(1))))
        pause = min(pause * 2, .milliseconds(32))
    }
}

/// Waits until something holds.
package func eventually(
    _ what: @autoclosure () -> String = "what was waited for", within limit: Duration = patience,
    _ holds: () async throws -> Bool
) async throws {
    _ = try await eventually(what(), within: limit) { try await holds() ? true : nil }
}
