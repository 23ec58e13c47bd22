extension StringProtocol {
    /// The text with `other` wherever `found` stands in it, compared scalar by scalar.
    ///
    /// For escaping. Swift's own `replacing` compares characters as people see them: a quotation mark with a combining
    /// mark behind it is another character, and so is a carriage return with its line feed. A later reader of
    /// the text, such as a browser or a parser, sees the scalars.
    package func replacing(scalars found: String, with other: String) -> String {
        let scalars = String.UnicodeScalarView(unicodeScalars)
        return String(scalars.replacing(found.unicodeScalars, with: other.unicodeScalars))
    }
}
