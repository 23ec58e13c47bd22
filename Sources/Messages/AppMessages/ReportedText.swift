/// What an app says of its configuration ends on an administrator's screen: short, and free of control characters.
enum ReportedText {
    /// In bytes of UTF-8.
    static let longest = 1_024

    static func bounded(_ text: String) -> String {
        var kept = String.UnicodeScalarView()
        var bytes = 0
        for scalar in text.unicodeScalars {
            let isControl = scalar.properties.generalCategory == .control && scalar != "\n"
            let written: Unicode.Scalar = isControl ? "\u{FFFD}" : scalar
            bytes += UTF8.width(written)
            guard bytes <= longest else { break }
            kept.append(written)
        }
        return String(kept)
    }
}
