import Foundation
import InputBounds
import TestInputs
import Testing

struct JSONFuzzTests {
    private static let tokens = [
        "{", "}", "[", "]", ",", ":", "\"", "\\", "\\u0041", "\\ud83d", "\\ude00", "null", "true", "false", "-", "+",
        ".", "e9",
        "E-5", "0", "1", " ", "\n", "é", "😀", "\u{0}", "\u{1}", "\u{FEFF}", "//", "\"a\":",
    ]

    private static let inputs: [Data] = {
        var random = SplitMix64(seed: 11)
        var inputs: [Data] = []
        while inputs.count < 20 {
            if let value = try? JSONValue(propertyList: .array([.random(depth: 4, using: &random)])) {
                inputs.append(value.encoded())
            }
        }
        return inputs
    }()

    /// Whatever a mutated document does, nothing crashes; what the scan lets pass, Foundation reads to the same value.
    @Test func whatTheScanAcceptsFoundationReadsAlike() throws {
        var random = SplitMix64(seed: Mutation.seed)
        var accepted = 0
        for _ in 0..<Mutation.iterations {
            let input = Self.inputs[Int.random(in: 0..<Self.inputs.count, using: &random)]
            let mutated = Mutation.mutate(input, with: Self.inputs, tokens: Self.tokens, using: &random)
            let passes = (try? JSONScan.check(mutated, limits: .message)) != nil
            let value = try? JSONValue(parsing: mutated, limits: .message)
            // A byte order mark is passed over in what people write, and stays a fault in messages.
            let hasMark = mutated.starts(with: [0xEF, 0xBB, 0xBF])
            if value != nil, !hasMark {
                #expect(passes, "read, but not passed by the scan: \(mutated.base64EncodedString())")
            }
            guard passes else { continue }
            let decoded = try? JSONDecoder().decode(JSONValue.self, from: mutated)
            guard let value else { continue }
            accepted += 1
            let alike = decoded.map { Agreement.json($0, value) } ?? false
            #expect(alike, "Foundation disagrees: \(mutated.base64EncodedString())")
            #expect(try JSONValue(parsing: value.encoded(), limits: .message) == value)
        }
        #expect(accepted > Mutation.iterations / 50, "too few mutations survive to prove anything")
    }
}
