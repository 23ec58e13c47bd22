/// A set of Unicode scalars, such as `[a-z_]`, `\d` or `\p{Letter}`.
struct ScalarClass: Sendable {
    /// One bit for each of the first 128.
    private var ascii: UInt128 = 0
    private var ranges: [ClosedRange<UInt32>] = []
    private var properties: [Property] = []
    private var excluded: [ScalarClass] = []

    private static let last: UInt32 = 0x10FFFF

    func contains(_ scalar: Unicode.Scalar) -> Bool {
        if scalar.value < 128 { return ascii >> scalar.value & 1 == 1 }
        if ranges.contains(where: { $0.contains(scalar.value) }) { return true }
        if properties.contains(where: { $0.holds(scalar) }) { return true }
        return excluded.contains { !$0.contains(scalar) }
    }

    mutating func insert(_ range: ClosedRange<UInt32>) {
        for value in range.clamped(to: 0...127) where range.contains(value) { ascii |= 1 << UInt128(value) }
        if range.upperBound > 127 { ranges.append(max(range.lowerBound, 128)...range.upperBound) }
    }

    mutating func insert(_ scalar: Unicode.Scalar) { insert(scalar.value...scalar.value) }

    mutating func insert(_ property: Property) {
        for value in UInt8(0)...127 where property.holds(Unicode.Scalar(value)) { ascii |= 1 << UInt128(value) }
        properties.append(property)
    }

    mutating func formUnion(_ other: ScalarClass) {
        ascii |= other.ascii
        ranges += other.ranges
        properties += other.properties
        excluded += other.excluded
    }

    /// One of them, a letter or a digit where there is one; nothing where none is found soon.
    var example: Unicode.Scalar? {
        let letters: [Unicode.Scalar] = ["a", "A", "0"]
        if let letter = letters.first(where: { contains($0) }) { return letter }
        for byte in UInt8(0x20)...0x7E where contains(Unicode.Scalar(byte)) { return Unicode.Scalar(byte) }
        return ranges.first.flatMap { Unicode.Scalar($0.lowerBound) }
    }

    /// Everything else.
    var inverted: ScalarClass {
        var result = ScalarClass()
        result.ascii = ~ascii
        result.excluded = [self]
        return result
    }

    init() {}

    init(_ scalar: Unicode.Scalar) { insert(scalar) }

    private init(_ ranges: ClosedRange<UInt32>...) {
        for range in ranges { insert(range) }
    }

    /// `\d`: these ten only.
    static let digits = ScalarClass(0x30...0x39)
    /// `\w`.
    static let word = ScalarClass(0x30...0x39, 0x41...0x5A, 0x5F...0x5F, 0x61...0x7A)
    /// `\s`: white space and line ends, as ECMA-262 lists them.
    static let space = ScalarClass(
        0x09...0x0D, 0x20...0x20, 0xA0...0xA0, 0x1680...0x1680, 0x2000...0x200A, 0x2028...0x2029, 0x202F...0x202F,
        0x205F...0x205F, 0x3000...0x3000, 0xFEFF...0xFEFF)
    /// `.`: all but line ends.
    static let notLineEnd = ScalarClass(0x0A...0x0A, 0x0D...0x0D, 0x2028...0x2029).inverted
}

/// What Unicode says of a scalar, of those properties that `\p{…}` names here.
struct Property: Sendable {
    private let test: @Sendable (Unicode.Scalar) -> Bool

    func holds(_ scalar: Unicode.Scalar) -> Bool { test(scalar) }

    /// A property by the name that ECMA-262 has for it: a general category, or one of a few that are yes or no.
    init?(named name: String) {
        let category = name.split(separator: "=", maxSplits: 1).map(String.init)
        if category.count == 2, ["General_Category", "gc"].contains(category[0]) {
            guard let found = Self.categories[category[1]] else { return nil }
            test = { found.contains($0.properties.generalCategory) }
        } else if let found = Self.categories[name] {
            test = { found.contains($0.properties.generalCategory) }
        } else if let found = Self.flags[name] {
            test = found
        } else {
            return nil
        }
    }

    private static let flags: [String: @Sendable (Unicode.Scalar) -> Bool] = [
        "Any": { _ in true }, "ASCII": { $0.isASCII },
        "Alphabetic": { $0.properties.isAlphabetic }, "Alpha": { $0.properties.isAlphabetic },
        "Lowercase": { $0.properties.isLowercase }, "Lower": { $0.properties.isLowercase },
        "Uppercase": { $0.properties.isUppercase }, "Upper": { $0.properties.isUppercase },
        "White_Space": { $0.properties.isWhitespace }, "space": { $0.properties.isWhitespace },
        "ID_Start": { $0.properties.isIDStart }, "ID_Continue": { $0.properties.isIDContinue },
        "Emoji": { $0.properties.isEmoji }, "Ideographic": { $0.properties.isIdeographic },
    ]

    private static let categories: [String: Set<Unicode.GeneralCategory>] = {
        let single: [(short: String, long: String, category: Unicode.GeneralCategory)] = [
            ("Lu", "Uppercase_Letter", .uppercaseLetter), ("Ll", "Lowercase_Letter", .lowercaseLetter),
            ("Lt", "Titlecase_Letter", .titlecaseLetter), ("Lm", "Modifier_Letter", .modifierLetter),
            ("Lo", "Other_Letter", .otherLetter), ("Mn", "Nonspacing_Mark", .nonspacingMark),
            ("Mc", "Spacing_Mark", .spacingMark), ("Me", "Enclosing_Mark", .enclosingMark),
            ("Nd", "Decimal_Number", .decimalNumber), ("Nl", "Letter_Number", .letterNumber),
            ("No", "Other_Number", .otherNumber), ("Pc", "Connector_Punctuation", .connectorPunctuation),
            ("Pd", "Dash_Punctuation", .dashPunctuation), ("Ps", "Open_Punctuation", .openPunctuation),
            ("Pe", "Close_Punctuation", .closePunctuation), ("Pi", "Initial_Punctuation", .initialPunctuation),
            ("Pf", "Final_Punctuation", .finalPunctuation), ("Po", "Other_Punctuation", .otherPunctuation),
            ("Sm", "Math_Symbol", .mathSymbol), ("Sc", "Currency_Symbol", .currencySymbol),
            ("Sk", "Modifier_Symbol", .modifierSymbol), ("So", "Other_Symbol", .otherSymbol),
            ("Zs", "Space_Separator", .spaceSeparator), ("Zl", "Line_Separator", .lineSeparator),
            ("Zp", "Paragraph_Separator", .paragraphSeparator), ("Cc", "Control", .control),
            ("Cf", "Format", .format), ("Cs", "Surrogate", .surrogate), ("Co", "Private_Use", .privateUse),
            ("Cn", "Unassigned", .unassigned),
        ]
        let groups = [
            "L": "Letter", "M": "Mark", "N": "Number", "P": "Punctuation", "S": "Symbol", "Z": "Separator",
            "C": "Other",
        ]
        var result: [String: Set<Unicode.GeneralCategory>] = [:]
        for one in single {
            result[one.short] = [one.category]
            result[one.long] = [one.category]
            guard let first = one.short.first.map(String.init), let name = groups[first] else { continue }
            result[first, default: []].insert(one.category)
            result[name, default: []].insert(one.category)
        }
        result["digit"] = result["Nd"]
        result["punct"] = result["P"]
        result["Combining_Mark"] = result["M"]
        return result
    }()
}
