import AppSpecification
import Foundation
import InputBounds
import TestInputs
import Testing

struct SpecificationFuzzTests {
    /// Random bytes, and a real specification with bytes changed: read or refused, nothing else.
    @Test func noDocumentIsTooStrange() {
        var random = SplitMix64(seed: Mutation.seed)
        for _ in 0..<Mutation.iterations {
            let data = Mutation.mutate(Data(Fixture.text.utf8), using: &random)
            guard let specification = try? AppSpecification(parsing: data) else { continue }
            _ = specification.findings(in: .dictionary(["serverURL": .string("x")]))
            _ = specification.lint()
            _ = specification.markdown()
        }
    }
}
