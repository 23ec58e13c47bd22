import InputBounds

/// One token of a predicate's text, and where it stands.
struct PredicateToken: Sendable {
    enum Kind: Equatable, Sendable {
        /// A word, in capitals, or an operator.
        case sign(String)
        case literal(JSONValue)
        case item(ActivationPredicate.Item)
        /// What stands in brackets behind an operator, in capitals.
        case modifier(String)
    }

    let kind: Kind
    let place: Int
}

/// Cuts a predicate's text into its tokens, in one pass.
struct PredicateReader {
    private let scalars: [Unicode.Scalar]
    private var place = 0

    private init(_ text: String) { scalars = Array(text.unicodeScalars) }

    static func tokens(of text: String) throws(ActivationPredicate.Refusal) -> [PredicateToken] {
        var reader = PredicateReader(text)
        var tokens: [PredicateToken] = []
        while let token = try reader.next() { tokens.append(token) }
        return tokens
    }

    private mutating func next() throws(ActivationPredicate.Refusal) -> PredicateToken? {
        skipSpaces()
        guard let scalar = here else { return nil }
        let start = place
        return PredicateToken(kind: try kind(beginning: scalar), place: start)
    }

    private mutating func kind(
        beginning scalar: Unicode.Scalar
    ) throws(ActivationPredicate.Refusal) -> PredicateToken.Kind {
        switch scalar {
        case "'", "\"": return .literal(.string(try quoted(until: scalar)))
        case "@": return .item(try item())
        case "[": return .modifier(try modifier())
        case "0"..."9": return .literal(try number())
        case "+", "-":
            guard Self.isDigit(after) else { throw refusal("calculations are not evaluated") }
            return .literal(try number())
        case "a"..."z", "A"..."Z", "_": return .sign(try knownWord())
        default: return .sign(try symbol(scalar))
        }
    }

    // MARK: - Each kind

    private mutating func quoted(until quote: Unicode.Scalar) throws(ActivationPredicate.Refusal) -> String {
        var result = String.UnicodeScalarView()
        place += 1
        while let scalar = here {
            place += 1
            if scalar == quote { return String(result) }
            guard scalar == "\\" else {
                result.append(scalar)
                continue
            }
            guard let escaped = here else { break }
            place += 1
            switch escaped {
            case "\\", "'", "\"": result.append(escaped)
            case "n": result.append("\n")
            case "r": result.append("\r")
            case "t": result.append("\t")
            default: throw refusal("a backslash stands before a backslash, a quotation mark, n, r or t alone")
            }
        }
        throw refusal("a text is not closed")
    }

    private mutating func item() throws(ActivationPredicate.Refusal) -> ActivationPredicate.Item {
        place += 1
        let function = word()
        switch function {
        case "status", "property": break
        case "key": throw refusal("@key stands in SUBQUERY alone, which is not evaluated")
        default: throw refusal("of what begins with @ only @status and @property are evaluated")
        }
        guard here == "(" else { throw refusal("@status and @property take a name in parentheses") }
        place += 1
        skipSpaces()
        let begun = place
        while let scalar = here, Self.isOfName(scalar) { place += 1 }
        let name = slice(begun..<place)
        skipSpaces()
        guard !name.isEmpty, name.utf8.count <= 256, here == ")" else {
            throw refusal("@status and @property take a name in parentheses")
        }
        place += 1
        return function == "status" ? .status(name) : .property(name)
    }

    private mutating func modifier() throws(ActivationPredicate.Refusal) -> String {
        place += 1
        let letters = word()
        guard here == "]" else { throw refusal("a bracket is not closed") }
        place += 1
        return letters.uppercased()
    }

    private mutating func number() throws(ActivationPredicate.Refusal) -> JSONValue {
        let begun = place
        place += 1
        skipDigits()
        if here == ".", Self.isDigit(after) {
            place += 1
            skipDigits()
        }
        if here == "e" || here == "E" {
            let isSigned = after == "-" || after == "+"
            guard Self.isDigit(isSigned ? scalar(place + 2) : after) else { throw refusal("a number is not finished") }
            place += isSigned ? 2 : 1
            skipDigits()
        }
        let digits = slice(begun..<place)
        if let integer = Int64(digits) { return .integer(integer) }
        guard let real = Double(digits), real.isFinite else { throw refusal("a number is too large") }
        return .real(real)
    }

    /// What NSPredicate knows beside what is evaluated here.
    private static let unevaluated: Set = [
        "SUBQUERY", "SELF", "FUNCTION", "CAST", "FIRST", "LAST", "SIZE", "UNION", "INTERSECT", "MINUS",
    ]

    private mutating func knownWord() throws(ActivationPredicate.Refusal) -> String {
        let word = self.word().uppercased()
        guard !Self.unevaluated.contains(word) else { throw refusal("\(word) is not evaluated") }
        return word
    }

    private mutating func word() -> String {
        let begun = place
        while let scalar = here, Self.isOfWord(scalar) { place += 1 }
        return slice(begun..<place)
    }

    private mutating func symbol(_ one: Unicode.Scalar) throws(ActivationPredicate.Refusal) -> String {
        let pair = slice(place..<min(place + 2, scalars.count))
        if Self.pairs.contains(pair) {
            place += 2
            return pair
        }
        switch one {
        case "(", ")", "{", "}", ",", "=", "<", ">", "!":
            place += 1
            return String(Character(one))
        case "$": throw refusal("variables are not evaluated")
        case "%": throw refusal("arguments of a format string are not evaluated")
        case "*", "/": throw refusal("calculations are not evaluated")
        case ".": throw refusal("paths into a value, such as .@count, are not evaluated")
        default: throw refusal("a character means nothing here")
        }
    }

    // MARK: - Scalars

    private static let pairs: Set = ["==", "!=", "<>", "<=", "=<", ">=", "=>", "&&", "||"]

    private var here: Unicode.Scalar? { scalar(place) }
    private var after: Unicode.Scalar? { scalar(place + 1) }

    private func scalar(_ index: Int) -> Unicode.Scalar? { index < scalars.count ? scalars[index] : nil }

    private func slice(_ range: Range<Int>) -> String { String(String.UnicodeScalarView(scalars[range])) }

    private mutating func skipSpaces() {
        while let scalar = here, scalar.properties.isWhitespace { place += 1 }
    }

    private mutating func skipDigits() {
        while Self.isDigit(here) { place += 1 }
    }

    private static func isDigit(_ scalar: Unicode.Scalar?) -> Bool {
        guard let scalar else { return false }
        return ("0"..."9").contains(scalar)
    }

    private static func isOfWord(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9", "_", ".": true
        default: false
        }
    }

    private static func isOfName(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "(", ")", "{", "}", "[", "]", "'", "\"", ",", "@", "$": false
        default: scalar.value > 0x20 && scalar.value != 0x7F && !scalar.properties.isWhitespace
        }
    }

    private func refusal(_ rule: String) -> ActivationPredicate.Refusal {
        ActivationPredicate.Refusal(place: place, rule: rule)
    }
}
