/// Says which rule an input broke.
///
/// The input itself is left out: it came from a peer, and refusals end up in logs and answers.
package struct InputRefusal: Error, Hashable, Sendable {
    /// The broken rule as a sentence about the format, such as "the property list nests too deeply".
    package let rule: String

    package init(rule: String) {
        self.rule = rule
    }

    /// The same refusal without a label, for the many places that make one.
    package init(_ rule: String) {
        self.rule = rule
    }
}

extension InputRefusal: CustomStringConvertible {
    package var description: String { "input refused: \(rule)" }
}
