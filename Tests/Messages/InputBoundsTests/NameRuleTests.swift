import Foundation
import InputBounds
import TestInputs
import Testing

/// Which texts are names: of those that are taken, two are one to Swift only where their bytes are.
struct NameRuleTests {
    private static let person = NameRule(.composed, upTo: 256)
    private static let word = NameRule(.word(and: "._-"), upTo: 64)

    /// Red with a set of characters: to Swift the sign of kelvin is the letter K.
    @Test(arguments: ["\u{212A}", "K\u{301}", "a b", "a\u{0}", "a\r\n", "\u{FF21}", "a/b", "", "é"])
    func aWordIsOfTheseBytesAlone(name: String) {
        #expect(!Self.word.takes(name))
        #expect(Self.word.brokenRule(by: name) == "is 1 to 64 letters, digits and . _ -")
        #expect(Self.word.takes("K.0_-z") && !Self.word.takes(String(repeating: "a", count: 65)))
    }

    @Test func whatDevicesChooseIsASCII() {
        let (visible, printable) = (NameRule(.visible, upTo: 8), NameRule(.printable, upTo: 8))
        #expect(["a:b", "~!", "12345678"].allSatisfy { visible.takes($0) && printable.takes($0) })
        #expect(printable.takes("a b") && !visible.takes("a b"))
        for name in ["", " a", "a ", "a\u{0}b", "a\tb", "a\u{7F}", "\u{E9}", "e\u{301}", "\u{212A}", "123456789"] {
            #expect(!visible.takes(name) && !printable.takes(name), "\(name.unicodeScalars.map(\.value))")
        }
    }

    @Test(arguments: [
        "anna", "corp/anna \u{E9}", "日本語", "👩‍👩‍👧 3", "\u{5D0}\u{5B7}", "\u{627}\u{644}", "\u{D55C}", "a\u{1E9}",
    ])
    func peopleAreCalledWhatTheyLike(name: String) {
        #expect(Self.person.brokenRule(by: name) == nil)
    }

    @Test(arguments: [
        ("", "is 1 to 256 bytes"), (String(repeating: "é", count: 129), "is 1 to 256 bytes"),
        ("a\u{0}b", "has no control characters"), ("a\r\nb", "has no control characters"),
        ("a\u{85}", "has no control characters"), ("a\u{2028}b", "has no line breaks"),
        (" é", "neither begins nor ends with a space"), ("é\u{3000}", "neither begins nor ends with a space"),
        ("\u{301}a", "does not begin with a combining mark"), ("e\u{301}", "is in composed form (NFC)"),
        ("\u{212B}", "is in composed form (NFC)"), ("\u{1112}\u{1161}\u{11AB}", "is in composed form (NFC)"),
        ("\u{AC00}\u{11A8}", "is in composed form (NFC)"),
        ("a\u{378}", "has only characters of Unicode 15 and before"),
        ("a\u{1CCD0}", "has only characters of Unicode 15 and before"),
    ])
    func whatIsRefusedNamesItsRule(name: String, rule: String) {
        #expect(Self.person.brokenRule(by: name) == rule)
    }

    /// Red with marks that are newer than Foundation's tables.
    @Test func ofNamesThatAreTakenSwiftTakesNoTwoForOne() {
        var random = SplitMix64(seed: 2)
        // Whatever is composed of others or moves among them.
        var pool: [Unicode.Scalar] = ["a", "e", "O", "u", "=", "<", "K", " ", "\u{AC00}", "\u{AC1C}", "\u{D788}"]
        pool += pool + pool + pool
        for value in (0xA0 as UInt32)...0x1FFFF {
            guard let scalar = Unicode.Scalar(value) else { continue }
            let text = String(String.UnicodeScalarView([scalar]))
            let isOne = text.decomposedStringWithCanonicalMapping.unicodeScalars.count == 1
            let isMark = scalar.properties.canonicalCombiningClass != .notReordered
            if isMark || (0x1100...0x11FF).contains(value) || (!isOne && !(0xAC00...0xD7A3).contains(value)) {
                pool.append(scalar)
            }
        }
        var taken: [String: [UInt8]] = [:]
        for _ in 0..<40_000 {
            let scalars = (0..<Int.random(in: 1...4, using: &random)).compactMap { _ in
                pool.randomElement(using: &random)
            }
            let name = Self.text(scalars)
            // Marks in another order, and a syllable with its consonant, are forms, too, that Foundation may not know.
            let place = Int.random(in: 0..<scalars.count, using: &random)
            let forms = [
                name, name.decomposedStringWithCanonicalMapping, name.precomposedStringWithCanonicalMapping,
                Self.text(scalars[..<place] + scalars[place...].reversed()), Self.text(Self.joined(scalars)),
            ]
            for form in forms where Self.person.takes(form) {
                let bytes = Array(form.utf8)
                let before = taken.updateValue(bytes, forKey: form) ?? bytes
                #expect(before == bytes, "\(form.unicodeScalars.map { String($0.value, radix: 16) })")
            }
        }
        #expect(taken.count > 10_000)
    }

    private static func text(_ scalars: some Sequence<Unicode.Scalar>) -> String {
        String(String.UnicodeScalarView(scalars))
    }

    /// A syllable of Korean and the consonant behind it as the one scalar that stands for both.
    private static func joined(_ scalars: [Unicode.Scalar]) -> [Unicode.Scalar] {
        scalars.reduce(into: []) { joined, scalar in
            if let last = joined.last, (0xAC00...0xD7A3).contains(last.value), (last.value - 0xAC00) % 28 == 0,
                (0x11A8...0x11C2).contains(scalar.value),
                let both = Unicode.Scalar(last.value + scalar.value - 0x11A7)
            {
                joined[joined.count - 1] = both
            } else {
                joined.append(scalar)
            }
        }
    }

    /// Red while a person could be called `..`: browsers took the address of their page for that of another.
    @Test(arguments: [".", ".."])
    func noNameIsAStepInAnAddress(name: String) {
        let rule = "is neither . nor .., which are steps in an address"
        #expect(Self.person.brokenRule(by: name) == rule && Self.word.brokenRule(by: name) == rule)
        #expect(NameRule.enrollment.brokenRule(by: name) == rule)
        #expect(NameRule.serialNumber.takes(name), "no address names it")
        #expect(Self.person.takes("...") && Self.word.takes(".a") && Self.word.takes("a."))
    }

    /// Of names that are easily taken for one, and through what they are written in: JSON, as a line of the log is, and
    /// property lists.
    @Test(arguments: [UInt64(31)])
    func whatDiffersInAByteIsTwoNamesAndComesBack(seed: UInt64) throws {
        var pairs = NamePairs(seed: seed)
        var taken = 0
        for pair in pairs.next(4_000, .any) where Self.person.takes(pair.one) && Self.person.takes(pair.other) {
            taken += 1
            #expect(pair.one != pair.other, "\(pair.shown)")
            #expect(Set([pair.one, pair.other, pair.one]).count == 2, "\(pair.shown)")
            for name in [pair.one, pair.other] {
                let line = JSONValue.object(["name": .string(name)]).encoded()
                let read = try JSONValue(parsing: line, limits: .adminBody)["name"]?.string
                #expect(read?.utf8.elementsEqual(name.utf8) == true, "\(pair.shown)")
                let list = PropertyListValue.dictionary(["name": .string(name)]).xml()
                let listed = try PropertyListValue(parsing: list, limits: .adminBody)["name"]?.string
                #expect(listed?.utf8.elementsEqual(name.utf8) == true, "\(pair.shown)")
            }
        }
        #expect(taken > 1_000)
    }

    @Test func aTextByItsBytesIsAKeyOfItsOwn() {
        let texts = ["\u{E9}", "e\u{301}", "\u{212A}", "K", "K"]
        #expect(Set(texts).count == 2)
        #expect(Set(texts.map(ByteText.init)).count == 4)
        #expect(ByteText("a") == ByteText("a") && ByteText("\u{E9}") != ByteText("e\u{301}"))
    }
}
