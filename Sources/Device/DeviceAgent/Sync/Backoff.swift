/// How long to wait before trying again: longer each time, and never at the same moment as everybody else.
package struct Backoff: Sendable, Equatable {
    private let first: Duration
    private let longest: Duration

    /// Waits up to `first` after the first failure, twice as long after each further one, and at most `longest`.
    package init(first: Duration, longest: Duration) {
        self.first = first
        self.longest = longest
    }

    /// The wait before attempt number `attempt`, from one: anything between nothing and the bound ("full jitter").
    package func delay(attempt: Int, using random: inout some RandomNumberGenerator) -> Duration {
        var bound = first
        for _ in 1..<max(2, min(attempt, 64)) where bound < longest && attempt > 1 { bound = bound * 2 }
        return min(bound, longest) * Double.random(in: 0...1, using: &random)
    }
}
