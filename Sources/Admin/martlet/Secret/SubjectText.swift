/// The subject of a certificate as people write it, such as `CN=Alice,O=Example\, Inc`.
package enum SubjectText {
    /// The pairs of kind and value, in order; nothing where a part is no such pair.
    package static func pairs(in text: String) -> [[String]]? {
        var pairs: [[String]] = []
        for part in parts(of: text) {
            guard let sign = part.firstIndex(of: "=") else { return nil }
            let kind = part[..<sign].filter { $0 != " " }
            let value = trimmed(part[part.index(after: sign)...])
            guard !kind.isEmpty, !value.isEmpty else { return nil }
            pairs.append([kind, value])
        }
        return pairs.isEmpty ? nil : pairs
    }

    /// The parts between commas; a backslash takes the character after it as it is.
    private static func parts(of text: String) -> [String] {
        var parts = [""]
        var isEscaped = false
        for character in text {
            switch character {
            case "\\" where !isEscaped:
                isEscaped = true
                continue
            case "," where !isEscaped: parts.append("")
            default: parts[parts.count - 1].append(character)
            }
            isEscaped = false
        }
        return parts
    }

    private static func trimmed(_ text: Substring) -> String {
        String(text.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
    }
}
