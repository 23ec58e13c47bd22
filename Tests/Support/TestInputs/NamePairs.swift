import Foundation

/// Two different texts that are easily taken for one.
package struct NamePair: Sendable {
    package let one: String
    package let other: String

    package init(one: String, other: String) {
        self.one = one
        self.other = other
    }

    /// The scalars of both in hexadecimal digits, for a test that fails.
    package var shown: String { [one, other].map(Self.scalars).joined(separator: " and ") }

    package static func scalars(_ text: String) -> String {
        text.unicodeScalars.map { String($0.value, radix: 16) }.joined(separator: " ")
    }
}

/// Makes pairs of names that differ in a form of Unicode, in case or width, in a scalar that is not seen, in how addresses
/// and files are written, or in one scalar of any kind.
///
/// What differs stands at the beginning, in the middle or at the end; no two pairs have a name in common.
package struct NamePairs {
    /// Which names the pairs are for.
    package enum Alphabet: Sendable {
        /// Letters and digits of ASCII with `.`, `_` and `-`.
        case word
        /// Printable ASCII without spaces and colons.
        case visible
        /// Any scalar.
        case any
    }

    private typealias Twin = (String, String)

    private var random: SplitMix64
    private var count = 0

    package init(seed: UInt64) { random = SplitMix64(seed: seed) }

    package mutating func next(_ alphabet: Alphabet) -> NamePair {
        count += 1
        let pair = twin(alphabet)
        let near = one(of: ["", "a", "Z", "q9"])
        let (before, behind): (String, String) =
            switch count % 3 {
            case 0: ("", "\(near)n\(count)")
            case 1: ("n\(count)x\(near)", "")
            default: ("n\(count)y", "z\(near)")
            }
        return NamePair(one: before + pair.0 + behind, other: before + pair.1 + behind)
    }

    package mutating func next(_ amount: Int, _ alphabet: Alphabet) -> [NamePair] {
        (0..<amount).map { _ in next(alphabet) }
    }

    private mutating func twin(_ alphabet: Alphabet) -> Twin {
        switch alphabet {
        case .word: return one(of: Self.words)
        case .visible: return one(of: Self.words + Self.addresses)
        case .any: break
        }
        switch Int.random(in: 0..<8, using: &random) {
        case 0: return one(of: Self.words + Self.addresses)
        case 1: return one(of: Self.cases)
        case 2: return one(of: Self.forms)
        case 3: return ("a", "a" + Self.text(one(of: Self.unseen)))
        case 4: return ("", Self.text(one(of: Self.unseen)))
        case 5: return form(ofAny: [0xC0...0x17F, 0x1E00...0x1EFF, 0x1F00...0x1FFF, 0xAC00...0xD7A3, 0x900...0xDFF])
        case 6: return marks()
        default: return (scalar(in: 0x21...0x2FFF), scalar(in: 0x3001...0x1FAFF))
        }
    }

    private mutating func one<Value>(of values: [Value]) -> Value {
        values[Int.random(in: 0..<values.count, using: &random)]
    }

    /// A composed text and the same taken apart.
    private mutating func form(ofAny ranges: [ClosedRange<UInt32>]) -> Twin {
        while true {
            let text = scalar(in: one(of: ranges))
            let apart = text.decomposedStringWithCanonicalMapping
            if !apart.utf8.elementsEqual(text.utf8) { return (text, apart) }
        }
    }

    /// Marks above and below a letter, in both orders.
    private mutating func marks() -> Twin {
        let letter = one(of: ["q", "x", "e", "\u{915}", "\u{5D0}"])
        let (above, below) = (one(of: ["\u{301}", "\u{307}", "\u{5C1}"]), one(of: ["\u{323}", "\u{327}", "\u{5B8}"]))
        return (letter + above + below, letter + below + above)
    }

    private mutating func scalar(in range: ClosedRange<UInt32>) -> String {
        while true {
            if let scalar = Unicode.Scalar(UInt32.random(in: range, using: &random)) { return Self.text(scalar) }
        }
    }

    private static func text(_ scalar: Unicode.Scalar) -> String { String(Character(scalar)) }

    private static let words: [Twin] = [
        ("a", "A"), ("k", "K"), ("i", "I"), ("l", "1"), ("O", "0"), (".", "_"), ("-", "_"), (".", "-"), ("", "-"),
        ("", "."), ("_", "__"), ("README", "README.md"), (".plist", ".json"), ("_USER_NAME", "-user-name"),
    ]

    private static let addresses: [Twin] = [
        ("+", "%2B"), ("%41", "A"), ("/", "%2F"), ("//", "/"), ("\\", "/"), (";", ","), ("~", "%7E"), ("?", "%3F"),
        ("#", "%23"), ("&", "&amp;"), ("<", "&lt;"), ("\"", "'"), ("%", "%25"), ("/..", "/../."), ("=", "=="),
        ("{x}", "${x}"), ("*", "?"), ("`", "'"),
    ]

    private static let cases: [Twin] = [
        ("\u{E9}", "\u{C9}"), ("\u{DF}", "\u{1E9E}"), ("\u{DF}", "ss"), ("\u{131}", "i"), ("I", "\u{130}"),
        ("\u{17F}", "s"), ("\u{3C3}", "\u{3C2}"), ("a", "\u{FF41}"), ("A", "\u{FF21}"), ("1", "\u{FF11}"),
        ("\u{30AB}", "\u{FF76}"), ("fi", "\u{FB01}"), ("a", "\u{430}"), ("o", "\u{3BF}"), ("2", "\u{B2}"),
        (" ", "\u{A0}"), (" ", "\u{3000}"), ("-", "\u{2010}"), ("'", "\u{2019}"),
    ]

    /// Singletons, jamo, and what Unicode never composes again.
    private static let forms: [Twin] = [
        ("K", "\u{212A}"), ("\u{C5}", "\u{212B}"), ("\u{3A9}", "\u{2126}"), (";", "\u{37E}"), ("`", "\u{1FEF}"),
        ("\u{B7}", "\u{387}"), ("<\u{338}", "\u{226E}"), ("\u{AC01}", "\u{AC00}\u{11A8}"),
        ("\u{AC00}", "\u{1100}\u{1161}"), ("\u{AC01}", "\u{1100}\u{1161}\u{11A8}"), ("\u{915}\u{93C}", "\u{958}"),
        ("\u{390}", "\u{1FD3}"), ("\u{1D157}\u{1D165}", "\u{1D15E}"), ("\u{8C48}", "\u{F900}"),
        ("\u{304C}", "\u{304B}\u{3099}"), ("\u{2764}", "\u{2764}\u{FE0F}"), ("\u{5D0}\u{5B7}", "\u{FB2E}"),
    ]

    /// What changes how a text is shown, or nothing: joiners, marks of direction, selectors, the byte order mark.
    private static let unseen: [Unicode.Scalar] = [
        "\u{AD}", "\u{34F}", "\u{61C}", "\u{180E}", "\u{200B}", "\u{200C}", "\u{200D}", "\u{200E}", "\u{200F}",
        "\u{202A}", "\u{202C}", "\u{202E}", "\u{2060}", "\u{2066}", "\u{2069}", "\u{FE00}", "\u{FE0F}", "\u{FEFF}",
        "\u{E0020}", "\u{E0100}",
    ]
}
