import InputBounds
import TestInputs
import Testing

/// Escaping that does what the reader of the bytes needs, whatever Swift takes for a character.
struct ScalarReplacementTests {
    /// Red with `text.replacing(_:with:)`, which finds none of these.
    @Test func aScalarIsFoundWhateverStandsBehindIt() {
        for scalar in JoiningScalars.all {
            let text = JoiningScalars.text("a", "\"", scalar, "b")
            let escaped = text.replacing(scalars: "\"", with: "\\\"")
            #expect(Array(escaped.unicodeScalars) == ["a", "\\", "\"", scalar, "b"], "\(scalar.value)")
        }
        #expect("a\r\nb\n".replacing(scalars: "\n", with: "\\n") == "a\r\\nb\\n")
        #expect(
            "--\u{301}".replacing(scalars: "--", with: "==").unicodeScalars.elementsEqual("==\u{301}".unicodeScalars))
    }

    @Test func whatOnlyLooksTheSameIsNotFound() {
        // U+037E is a semicolon and U+1FEF a grave accent by canonical equivalence, and neither is one to a parser.
        for text in ["\u{37E}", "\u{1FEF}", "\u{226E}"] {
            #expect(text.replacing(scalars: ";", with: "x").unicodeScalars.elementsEqual(text.unicodeScalars))
            #expect(text.replacing(scalars: "`", with: "x").unicodeScalars.elementsEqual(text.unicodeScalars))
        }
    }
}
