/// What makes another character of the one before it, or is not seen, as Unicode has it.
///
/// To Swift a quotation mark with one of these behind it is a character of its own, which is no quotation mark; to
/// whoever reads the bytes the mark is there.
package enum JoiningScalars {
    /// Those that mean something in one of the languages that texts are written into.
    package static let marks: [Unicode.Scalar] = ["\"", "'", "<", ">", "&"]

    /// All of them but NUL: controls, format characters, combining marks, and the skin tones of emoji.
    package static let all: [Unicode.Scalar] = {
        var all: [Unicode.Scalar] = []
        for value in (1 as UInt32)...0x10FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            switch scalar.properties.generalCategory {
            case .control, .format, .nonspacingMark, .enclosingMark, .spacingMark: all.append(scalar)
            default: if scalar.properties.isEmojiModifier { all.append(scalar) }
            }
        }
        return all
    }()

    /// One or two of each sort, for roads on which each costs something.
    package static let some: [Unicode.Scalar] = [
        "\n", "\r", "\u{85}", "\u{AD}", "\u{300}", "\u{301}", "\u{338}", "\u{36F}", "\u{903}", "\u{93E}", "\u{200B}",
        "\u{200D}", "\u{202E}", "\u{20D0}", "\u{20DD}", "\u{20E3}", "\u{FE00}", "\u{FE0F}", "\u{1F3FB}", "\u{1F3FF}",
        "\u{E0020}", "\u{E007F}", "\u{E0100}",
    ]

    /// A text of these scalars.
    package static func text(_ scalars: Unicode.Scalar...) -> String { String(String.UnicodeScalarView(scalars)) }
}
