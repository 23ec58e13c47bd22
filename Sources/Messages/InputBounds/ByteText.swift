/// A text as a key that is equal to another only where all bytes are.
///
/// For names that a peer, a file system or an older version of the store may have chosen: to Swift two forms of Unicode are
/// one text, and a dictionary takes the one for the other.
package struct ByteText: Hashable, Sendable {
    package let text: String

    package init(_ text: String) {
        self.text = text
    }

    package static func == (left: ByteText, right: ByteText) -> Bool {
        left.text == right.text && left.text.utf8.elementsEqual(right.text.utf8)
    }

    /// Texts with equal bytes are equal texts, and have one hash.
    package func hash(into hasher: inout Hasher) { hasher.combine(text) }
}
