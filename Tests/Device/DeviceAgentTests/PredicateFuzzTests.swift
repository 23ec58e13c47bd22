import DeviceAgent
import Foundation
import TestInputs
import Testing

struct PredicateFuzzTests {
    /// No text traps: tokens in any order and mutated predicates are read or refused, and what is read has an answer.
    @Test func noTextIsTooStrangeForAPredicate() {
        var random = SplitMix64(seed: Mutation.seed)
        let tokens = [
            "(", ")", "{", "}", ",", "==", "!=", "<", ">=", "&&", "||", "!", "AND", "OR", "NOT", "ANY", "ALL", "NONE",
            "IN", "BETWEEN", "LIKE", "MATCHES", "CONTAINS", "[c]", "'a*'", "''", "1", "-2.5", "1e3", "NULL", "TRUE",
            "TRUEPREDICATE", "@property(shard)", "@property(lob)", "@status(x)", "@property(numbers)", "é", "\\", "@",
            ".",
        ]
        let whole = [
            "@property(shard) BETWEEN {1, 50} AND NOT (@property(lob) LIKE[c] 'f*')",
            "ANY @property(numbers) IN {1, 2} || @status(device.model.family) MATCHES 'L.*'",
        ].map { Data($0.utf8) }
        let facts = ActivationPredicateTests.facts()
        var read = 0
        for turn in 0..<max(20_000, Mutation.iterations) {
            let text: String
            if turn.isMultiple(of: 2) {
                text = (0..<Int.random(in: 0...9, using: &random)).map { _ in
                    tokens[Int.random(in: tokens.indices, using: &random)]
                }.joined(separator: " ")
            } else {
                let seed = whole[turn / 2 % whole.count]
                text = String(
                    decoding: Mutation.mutate(seed, with: whole, tokens: tokens, using: &random), as: UTF8.self)
            }
            guard let predicate = try? ActivationPredicate(text) else { continue }
            read += 1
            _ = predicate.answer(facts)
        }
        #expect(read > 100)
    }
}
