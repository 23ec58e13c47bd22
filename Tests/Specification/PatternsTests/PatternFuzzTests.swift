import Patterns
import TestInputs
import Testing

struct PatternFuzzTests {
    /// Random bytes as patterns: read or refused, and if read they match in the time that is given.
    @Test func noTextIsTooStrangeForAPattern() {
        var random = SplitMix64(seed: Mutation.seed)
        let letters = Array("ab1^$\\.*+?()[]{}|/-,:<>=!pPuxkdwsbB{}é\u{1F426}\n")
        var read = 0
        for _ in 0..<max(20_000, Mutation.iterations) {
            let source = String(
                (0..<Int.random(in: 0...12, using: &random)).map { _ in
                    letters[Int.random(in: letters.indices, using: &random)]
                })
            guard let pattern = try? Pattern(source) else { continue }
            read += 1
            var budget = 100_000
            _ = pattern.matches(source, budget: &budget)
        }
        #expect(read > 1_000)
    }
}
