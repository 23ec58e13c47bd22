/// A part of a rule's text.
struct RuleToken: Equatable {
    enum Kind: Equatable {
        case word(String)
        case quoted(String)
        /// A parenthesis or a sign of comparison.
        case sign(String)
    }

    let kind: Kind
    /// Where it begins, in characters from 1, and where what follows it does.
    let position: Int
    let end: Int

    /// Cuts a text once from its beginning to its end.
    static func all(in text: String) throws(GroupRuleRefusal) -> [RuleToken] {
        let characters = Array(text.unicodeScalars)
        var tokens: [RuleToken] = []
        var next = 0
        while next < characters.count {
            let start = next
            let kind: Kind
            switch characters[next] {
            case " ", "\t", "\n", "\r":
                next += 1
                continue
            case "(", ")", "=":
                next += 1
                kind = .sign(String(String.UnicodeScalarView(characters[start..<next])))
            case "<", ">":
                next += 1
                if next < characters.count, characters[next] == "=" { next += 1 }
                kind = .sign(String(String.UnicodeScalarView(characters[start..<next])))
            case "\"":
                kind = .quoted(try quoted(characters, &next))
            case let character where isPlain(character):
                while next < characters.count, isPlain(characters[next]) { next += 1 }
                kind = .word(String(String.UnicodeScalarView(characters[start..<next])))
            default:
                throw GroupRuleRefusal("a text with other characters stands in quotes", at: start + 1)
            }
            tokens.append(RuleToken(kind: kind, position: start + 1, end: next + 1))
        }
        return tokens
    }

    /// A text in quotes, in which a backslash stands before a quote and before a backslash.
    private static func quoted(
        _ characters: [Unicode.Scalar], _ next: inout Int
    ) throws(GroupRuleRefusal) -> String {
        let start = next
        var text = String.UnicodeScalarView()
        next += 1
        while next < characters.count {
            let character = characters[next]
            next += 1
            if character == "\"" { return String(text) }
            guard character == "\\" else {
                text.append(character)
                continue
            }
            guard next < characters.count, characters[next] == "\"" || characters[next] == "\\" else {
                throw GroupRuleRefusal("behind a backslash stands a quote or a backslash", at: next)
            }
            text.append(characters[next])
            next += 1
        }
        throw GroupRuleRefusal("a quote is not closed", at: start + 1)
    }

    private static func isPlain(_ character: Unicode.Scalar) -> Bool {
        character.isASCII && RuleWord.isPlain(UInt8(character.value))
    }
}
