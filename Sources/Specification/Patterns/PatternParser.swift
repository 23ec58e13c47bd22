/// What a pattern says.
indirect enum PatternNode {
    case scalars(ScalarClass)
    case sequence([PatternNode])
    case choice([PatternNode])
    case repeated(PatternNode, least: Int, most: Int?)
    case place(PatternPlace)
}

/// A pattern as it was read.
struct ParsedPattern {
    /// Whether the text must begin with something, or must not, beside holding a match of `node`.
    var ahead: [(node: PatternNode, isWanted: Bool)] = []
    var node: PatternNode
}

/// A place in the text that a pattern asks for.
enum PatternPlace: Sendable {
    case start, end, wordBoundary, noWordBoundary
}

/// Reads a pattern.
struct PatternParser {
    private let scalars: [Unicode.Scalar]
    private var position = 0
    private var depth = 0

    init(_ source: String) { scalars = Array(source.unicodeScalars) }

    mutating func parse() throws(PatternRefusal) -> ParsedPattern {
        let ahead = try lookAhead()
        let node = try choice()
        guard position == scalars.count else { throw refusal("a parenthesis closes nothing") }
        guard !ahead.isEmpty else { return ParsedPattern(node: node) }
        // It would be asked of the first branch alone.
        if case .choice = node { throw refusal("looking ahead cannot be matched beside a '|' outside of groups") }
        return ParsedPattern(ahead: ahead, node: .sequence([.place(.start), node]))
    }

    /// Takes a `^` that begins the pattern with what is looked ahead for right behind it; nothing where nothing is.
    private mutating func lookAhead() throws(PatternRefusal) -> [(node: PatternNode, isWanted: Bool)] {
        guard ["^(?=", "^(?!"].contains(where: { scalars.starts(with: $0.unicodeScalars) }) else { return [] }
        position = 1
        var found: [(node: PatternNode, isWanted: Bool)] = []
        while true {
            let isWanted = take("(?=")
            guard isWanted || take("(?!") else { return found }
            let node = try choice()
            guard take(")" as Unicode.Scalar) else { throw refusal("a group has no end") }
            found.append((.sequence([.place(.start), node]), isWanted))
        }
    }

    private func refusal(_ rule: String) -> PatternRefusal { PatternRefusal(place: position, rule: rule) }

    private var next: Unicode.Scalar? { position < scalars.count ? scalars[position] : nil }

    private mutating func take(_ scalar: Unicode.Scalar) -> Bool {
        guard next == scalar else { return false }
        position += 1
        return true
    }

    private mutating func take(_ text: String) -> Bool {
        let wanted = Array(text.unicodeScalars)
        guard scalars[position...].starts(with: wanted) else { return false }
        position += wanted.count
        return true
    }

    private mutating func choice() throws(PatternRefusal) -> PatternNode {
        depth += 1
        defer { depth -= 1 }
        guard depth <= PatternLimits.depth else { throw refusal("groups nest too deeply") }
        var branches = [try sequence()]
        while take("|" as Unicode.Scalar) { branches.append(try sequence()) }
        return branches.count == 1 ? branches[0] : .choice(branches)
    }

    private mutating func sequence() throws(PatternRefusal) -> PatternNode {
        var items: [PatternNode] = []
        while let scalar = next, scalar != "|", scalar != ")" { items.append(try term(scalar)) }
        return .sequence(items)
    }

    private mutating func term(_ scalar: Unicode.Scalar) throws(PatternRefusal) -> PatternNode {
        if take("^" as Unicode.Scalar) { return .place(.start) }
        if take("$" as Unicode.Scalar) { return .place(.end) }
        if take("\\b") { return .place(.wordBoundary) }
        if take("\\B") { return .place(.noWordBoundary) }
        let atom = try atom(scalar)
        return try quantified(atom)
    }

    private mutating func quantified(_ atom: PatternNode) throws(PatternRefusal) -> PatternNode {
        var (least, most): (Int, Int?)
        switch next {
        case "*": (least, most) = (0, nil)
        case "+": (least, most) = (1, nil)
        case "?": (least, most) = (0, 1)
        case "{":
            position += 1
            least = try number()
            most = least
            if take("," as Unicode.Scalar) { most = next == "}" ? nil : try number() }
            guard next == "}" else { throw refusal("a repetition is not of the form {n}, {n,} or {n,m}") }
            if let most, most < least { throw refusal("a repetition's numbers are the wrong way round") }
        default: return atom
        }
        position += 1
        // Whether the shortest or the longest is wanted makes no difference to whether there is one.
        _ = take("?" as Unicode.Scalar)
        return .repeated(atom, least: least, most: most)
    }

    private mutating func number() throws(PatternRefusal) -> Int {
        var value: Int?
        while let scalar = next, let digit = Self.value(of: scalar, radix: 10) {
            value = (value ?? 0) * 10 + digit
            position += 1
            if let value, value > PatternLimits.repetitions {
                throw refusal("something is repeated more than \(PatternLimits.repetitions) times")
            }
        }
        guard let value else { throw refusal("a repetition is not of the form {n}, {n,} or {n,m}") }
        return value
    }

    private mutating func atom(_ scalar: Unicode.Scalar) throws(PatternRefusal) -> PatternNode {
        switch scalar {
        case ".":
            position += 1
            return .scalars(.notLineEnd)
        case "(": return try group()
        case "[": return .scalars(try bracket())
        case "\\": return .scalars(try escape(inClass: false))
        case "*", "+", "?", "{", "}", "]": throw refusal("'\(scalar)' stands for nothing here: write '\\\(scalar)'")
        default:
            position += 1
            return .scalars(ScalarClass(scalar))
        }
    }

    private mutating func group() throws(PatternRefusal) -> PatternNode {
        for ahead in ["(?=", "(?!", "(?<=", "(?<!"] where take(ahead) {
            throw refusal(
                "looking ahead or behind cannot be matched in bounded time, except ahead right after a leading '^'")
        }
        if take("(?<") {
            while let scalar = next, scalar != ">" {
                guard ScalarClass.word.contains(scalar) || scalar == "$" else {
                    throw refusal("a group's name is none")
                }
                position += 1
            }
            guard take(">" as Unicode.Scalar) else { throw refusal("a group's name has no end") }
        } else if !take("(?:") {
            position += 1
            if next == "?" { throw refusal("flags inside a pattern are not known here") }
        }
        let inner = try choice()
        guard take(")" as Unicode.Scalar) else { throw refusal("a group has no end") }
        return inner
    }

    // MARK: Classes and escapes

    private mutating func bracket() throws(PatternRefusal) -> ScalarClass {
        position += 1
        let isInverted = take("^" as Unicode.Scalar)
        var result = ScalarClass()
        while !take("]" as Unicode.Scalar) {
            let (first, single) = try member()
            guard next == "-", position + 1 < scalars.count, scalars[position + 1] != "]" else {
                result.formUnion(first)
                continue
            }
            position += 1
            let (_, last) = try member()
            guard let single, let last else { throw refusal("a range begins or ends with a class") }
            guard single.value <= last.value else { throw refusal("a range's ends are the wrong way round") }
            result.insert(single.value...last.value)
        }
        return isInverted ? result.inverted : result
    }

    /// One member of a class, and the scalar that it is if it is one.
    private mutating func member() throws(PatternRefusal) -> (ScalarClass, Unicode.Scalar?) {
        guard let scalar = next else { throw refusal("a class has no end") }
        if scalar == "\\" {
            let single = try singleEscape(inClass: true)
            if let single { return (ScalarClass(single), single) }
            return (try escape(inClass: true), nil)
        }
        position += 1
        return (ScalarClass(scalar), scalar)
    }

    private mutating func escape(inClass: Bool) throws(PatternRefusal) -> ScalarClass {
        if let scalar = try singleEscape(inClass: inClass) { return ScalarClass(scalar) }
        let known: [(String, ScalarClass)] = [
            ("\\d", .digits), ("\\D", .digits.inverted), ("\\w", .word), ("\\W", .word.inverted),
            ("\\s", .space), ("\\S", .space.inverted),
        ]
        for (text, set) in known where take(text) { return set }
        for (text, isInverted) in [("\\p{", false), ("\\P{", true)] where take(text) {
            let start = position
            while let scalar = next, scalar != "}" { position += scalar.isASCII ? 1 : 0; if !scalar.isASCII { break } }
            let name = String(String.UnicodeScalarView(scalars[start..<position]))
            guard take("}" as Unicode.Scalar), let property = Property(named: name) else {
                throw refusal("a Unicode property is not known here")
            }
            var set = ScalarClass()
            set.insert(property)
            return isInverted ? set.inverted : set
        }
        if take("\\k") { throw refusal("referring back to a group cannot be matched in bounded time") }
        if position + 1 < scalars.count, Self.value(of: scalars[position + 1], radix: 10) != nil {
            throw refusal("referring back to a group cannot be matched in bounded time")
        }
        throw refusal("an escape is not known: letters are escaped only where that means something")
    }

    /// An escape that stands for one scalar; nil, and nothing taken, if this is another.
    private mutating func singleEscape(inClass: Bool) throws(PatternRefusal) -> Unicode.Scalar? {
        guard position + 1 < scalars.count else { throw refusal("a backslash stands at the end") }
        let letter = scalars[position + 1]
        let controls: [Unicode.Scalar: Unicode.Scalar] = [
            "t": "\t", "n": "\n", "r": "\r", "v": "\u{B}", "f": "\u{C}",
        ]
        if let control = controls[letter] {
            position += 2
            return control
        }
        if inClass, letter == "b" || letter == "-" {
            position += 2
            return letter == "b" ? "\u{8}" : "-"
        }
        if "^$\\.*+?()[]{}|/".unicodeScalars.contains(letter) {
            position += 2
            return letter
        }
        switch letter {
        case "0":
            let follower = position + 2 < scalars.count ? scalars[position + 2] : nil
            guard follower.flatMap({ Self.value(of: $0, radix: 10) }) == nil else { return nil }
            position += 2
            return "\0"
        case "c":
            guard position + 2 < scalars.count,
                ("A"..."Z").contains(scalars[position + 2])
                    || ("a"..."z").contains(scalars[position + 2])
            else { throw refusal("\\c is followed by a letter") }
            position += 3
            return Unicode.Scalar(UInt8(scalars[position - 1].value % 32))
        case "x":
            position += 2
            return try hexadecimal(digits: 2)
        case "u":
            position += 2
            return try unicodeEscape()
        default: return nil
        }
    }

    private mutating func unicodeEscape() throws(PatternRefusal) -> Unicode.Scalar {
        if take("{" as Unicode.Scalar) {
            let start = position
            var value = 0
            while let scalar = next, let digit = Self.value(of: scalar, radix: 16) {
                value = min(value * 16 + digit, 0x110000)
                position += 1
            }
            guard position > start, take("}" as Unicode.Scalar), let scalar = Unicode.Scalar(UInt32(value)) else {
                throw refusal("\\u{…} holds no character's number")
            }
            return scalar
        }
        let unit = try number(digits: 4)
        if let scalar = Unicode.Scalar(unit) { return scalar }
        // Half a surrogate pair: the other half follows.
        guard unit < 0xDC00, take("\\u") else { throw refusal("\\u names half a character") }
        let trail = try number(digits: 4)
        guard (0xDC00...0xDFFF).contains(trail),
            let scalar = Unicode.Scalar(0x10000 + (unit - 0xD800) << 10 + trail - 0xDC00)
        else { throw refusal("\\u names half a character") }
        return scalar
    }

    private mutating func hexadecimal(digits: Int) throws(PatternRefusal) -> Unicode.Scalar {
        guard let scalar = Unicode.Scalar(try number(digits: digits)) else { throw refusal("\\x names no character") }
        return scalar
    }

    private mutating func number(digits: Int) throws(PatternRefusal) -> UInt32 {
        var value = 0
        for _ in 0..<digits {
            guard let digit = next.flatMap({ Self.value(of: $0, radix: 16) }) else {
                throw refusal("an escape wants \(digits) hexadecimal digits")
            }
            value = value * 16 + digit
            position += 1
        }
        return UInt32(value)
    }

    private static func value(of scalar: Unicode.Scalar, radix: Int) -> Int? {
        guard scalar.isASCII else { return nil }
        return Int(String(scalar), radix: radix)
    }
}
