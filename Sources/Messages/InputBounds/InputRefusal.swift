/// Says which rule an input broke.
///
/// The input itself is left out of the rule: it came from a peer, and refusals end up in logs and answers. Two are equal
/// when they name the same rule, wherever it was broken.
package struct InputRefusal: Error, Sendable {
    /// The broken rule as a sentence about the format, such as "the property list nests too deeply".
    package let rule: String

    /// Where it was broken, if the input is a text; only for the person who wrote it.
    package let place: InputPlace?

    package init(rule: String) {
        self.init(rule)
    }

    /// The same refusal without a label, for the many places that make one.
    package init(_ rule: String, at place: InputPlace? = nil) {
        (self.rule, self.place) = (rule, place)
    }

    /// The rule and where it was broken, for the person who wrote the input: it may name keys of theirs.
    package var sentence: String { place.map { "\($0): \(rule)" } ?? rule }
}

extension InputRefusal: Hashable {
    package static func == (one: InputRefusal, other: InputRefusal) -> Bool { one.rule == other.rule }

    package func hash(into hasher: inout Hasher) { hasher.combine(rule) }
}

extension InputRefusal: CustomStringConvertible {
    package var description: String { "input refused: \(rule)" }
}
