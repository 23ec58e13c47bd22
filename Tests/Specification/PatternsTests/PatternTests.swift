import Foundation
import Patterns
import TestInputs
import Testing

struct PatternTests {
    /// A pattern, texts that it is found in, and texts that it is not found in.
    struct Example: CustomTestStringConvertible, Sendable {
        let pattern: String
        let found: [String]
        let notFound: [String]

        var testDescription: String { pattern }

        init(_ pattern: String, _ found: [String], not notFound: [String]) {
            (self.pattern, self.found, self.notFound) = (pattern, found, notFound)
        }
    }

    static let examples = [
        Example("", ["", "a"], not: []),
        Example("a", ["a", "bab"], not: ["", "b", "A"]),
        Example("^a*$", ["", "aaa"], not: ["b", "aab", "baa"]),
        Example("^a+$", ["a", "aa"], not: ["", "ab"]),
        Example("^ab?$", ["a", "ab"], not: ["abb", "b"]),
        Example("^(ab|cd|)$", ["ab", "cd", ""], not: ["abcd", "a"]),
        Example("^(?:a|b)+?c$", ["ac", "babac"], not: ["c", "ab"]),
        Example("^(?<year>\\d{4})-(?<month>\\d{2})$", ["2026-11"], not: ["26-11", "2026-1", "٢٠٢٦-11"]),
        Example("^a{2,3}$", ["aa", "aaa"], not: ["a", "aaaa"]),
        Example("^a{2,}$", ["aa", "aaaaaa"], not: ["a"]),
        Example("^a{0}b$", ["b"], not: ["ab"]),
        Example("^[a-c_x]$", ["a", "b", "c", "_", "x"], not: ["d", "-", ""]),
        Example("^[^a-c]$", ["d", "é", "\u{1F426}"], not: ["a", "c", "dd"]),
        Example("^[-a]$", ["-", "a"], not: ["b"]),
        Example("^[a-]$", ["-", "a"], not: ["b"]),
        Example("^[\\]\\\\\\-^]$", ["]", "\\", "-", "^"], not: ["a"]),
        Example("^[\\d.]+$", ["1.2.3"], not: ["1,2"]),
        Example("^[^]$", ["a", "\n"], not: ["", "ab"]),
        Example("[]", [], not: ["", "a", "]"]),
        Example("^.$", ["a", "é", "\u{1F426}"], not: ["\n", "\r", "\u{2028}", "ab"]),
        Example("^\\S+@\\S+$", ["a@b"], not: ["a b@c", "@"]),
        Example("^\\s$", [" ", "\t", "\u{A0}", "\u{FEFF}", "\u{3000}"], not: ["a", "\u{200B}"]),
        Example("^\\w+$", ["aZ_9"], not: ["é", "a-b"]),
        Example("^\\W\\D$", ["-a"], not: ["-1", "aa"]),
        Example("\\bcat\\b", ["a cat sat", "cat"], not: ["concat", "cats"]),
        Example("\\Bcat", ["concat"], not: ["cat"]),
        Example("^\\x41\\u0042\\u{43}\\cJ\\0$", ["ABC\n\0"], not: ["ABC"]),
        Example("^\\uD83D\\uDC26$", ["\u{1F426}"], not: ["\u{1F427}"]),
        Example("^\\u{1F426}$", ["\u{1F426}"], not: ["\u{1F427}"]),
        Example("^\\p{Letter}+$", ["aéß"], not: ["a1"]),
        Example("^\\p{Lu}\\P{Lu}$", ["Éa", "A1"], not: ["aA", "AA"]),
        Example("^\\p{General_Category=Decimal_Number}$", ["5", "٥"], not: ["a"]),
        Example("^[\\p{L}\\p{Nd} ]+$", ["Käse 7"], not: ["a_b"]),
        Example(
            "^https://[^/?#]+\\.example\\.com(?:/.*)?$", ["https://a.example.com/x"], not: ["http://a.example.com"]),
        Example("^\\/\\.\\*\\+\\?\\(\\)\\[\\]\\{\\}\\|\\^\\$$", ["/.*+?()[]{}|^$"], not: ["/"]),
        Example("a|^b$|c", ["xa", "b", "cx"], not: ["xb", "bx"]),
        Example("(^a|b)c", ["ac", "xbc"], not: ["xac"]),
        Example("^(a*)*$", ["", "aaaa"], not: ["b"]),
        Example("^(a|a)*b$", ["aaab"], not: ["aaac"]),
        Example("^(a?){3}a{3}$", ["aaa", "aaaaaa"], not: ["aa", "aaaaaaa"]),
        Example("$^", [""], not: ["a"]),
        Example("x*$", ["", "abc"], not: []),
        Example("^(?!x)", ["", "a", "ax"], not: ["x", "xa"]),
        Example("^(?!admin$).+$", ["administrator", "a"], not: ["admin", ""]),
        Example("^(?!a|b)\\w", ["c", "cab"], not: ["a", "b1", "-", ""]),
        Example("^(?=.*\\d)(?=.*[A-Z]).{4,}$", ["aB1c"], not: ["ab1c", "aBcd", "B1"]),
        Example("^(?=(?:a|b)$)(?!b)(?:a|c)", ["a"], not: ["b", "c", "ab"]),
    ]

    @Test(arguments: examples) func aPatternIsFoundWhereItIs(example: Example) throws {
        let pattern = try Pattern(example.pattern)
        for text in example.found { #expect(pattern.matches(text), "'\(text)'") }
        for text in example.notFound { #expect(!pattern.matches(text), "'\(text)'") }
    }

    static let refused: [(pattern: String, rule: String)] = [
        ("(?=a)", "ahead"), ("(?!a)b", "ahead"), ("(?<=a)b", "behind"), ("(?<!a)b", "behind"),
        ("^a(?!b)", "ahead"), ("^((?!x).)*$", "ahead"), ("^(?!(?=a)b)c", "ahead"), ("^(?!a)b|c", "ahead"),
        ("^(?<!a)", "behind"), ("^(?!a", "no end"), ("^(?!a)*", "stands for nothing"), ("^(?=a))", "closes nothing"),
        ("(a)\\1", "referring back"), ("(?<n>a)\\k<n>", "referring back"), ("(?i)a", "flags"), ("(?i:a)", "flags"),
        ("(a", "no end"), ("a)", "closes nothing"), ("[a", "no end"), ("[b-a]", "wrong way round"),
        ("[\\d-a]", "a range begins or ends with a class"), ("a{2", "of the form"), ("a{", "of the form"),
        ("a{3,2}", "wrong way round"), ("a{10001}", "more than 10000 times"), ("*a", "stands for nothing"),
        ("a**", "stands for nothing"), ("a{1}{2}", "stands for nothing"), ("]", "stands for nothing"),
        ("\\", "backslash stands at the end"), ("\\a", "escape is not known"), ("\\Z", "escape is not known"),
        ("\\p{Klingon}", "property is not known"), ("\\p{", "property is not known"), ("\\xg0", "hexadecimal"),
        ("\\u12", "hexadecimal"), ("\\u{110000}", "no character's number"), ("\\uD800", "half a character"),
        ("\\uDC00\\uD800", "half a character"), ("\\c1", "followed by a letter"), ("(?<1-2>a)", "name"),
        ("\\u{}", "no character's number"),
    ]

    @Test(arguments: refused) func whatIsNoPatternIsRefusedByItsRule(pattern: String, rule: String) {
        let refusal = #expect(throws: PatternRefusal.self) { try Pattern(pattern) }
        #expect(refusal?.rule.contains(rule) == true, "\(String(describing: refusal))")
    }

    @Test func aRefusalSaysWhere() {
        let refusal = #expect(throws: PatternRefusal.self) { try Pattern("abc(?=d)") }
        #expect(refusal?.place == 6)
    }

    // MARK: Bounds

    @Test func whatAPatternMayComeToIsBounded() throws {
        _ = try Pattern("^.{0,4000}$")
        for pattern in ["(a{100}){101}", "((a{50}){50}){50}", String(repeating: "a", count: 4_097)] {
            #expect(throws: PatternRefusal.self) { try Pattern(pattern) }
        }
        let deep = String(repeating: "(", count: 1_000) + String(repeating: ")", count: 1_000)
        #expect(throws: PatternRefusal.self) { try Pattern(deep) }
        // What takes nothing is not repeated: this returns.
        _ = try Pattern("((){10000}){10000}")
    }

    /// With each more letter a search that goes back tries twice as many ways.
    @Test(arguments: ["^(a+)+$", "^(a|aa)+$", "^(a|a?)+$", "(.*)*x", "^([a-z]+)*[0-9]$"])
    func whatOthersNeverEndOnTakesFewSteps(pattern: String) throws {
        var budget = 2_000_000
        let text = String(repeating: "a", count: 20_000) + "!"
        #expect(try Pattern(pattern).matches(text, budget: &budget) == false)
        #expect(budget > 0)
    }

    @Test func aBudgetThatDoesNotReachIsToldApartFromNoMatch() throws {
        var budget = 5_000
        #expect(try Pattern("(x?){1000}y").matches(String(repeating: "x", count: 1_000), budget: &budget) == nil)
        #expect(budget <= 0)
    }

    /// Many patterns and texts of few letters, so that they meet: each is asked of Foundation too.
    @Test func patternsAreFoundWhereAnotherImplementationFindsThem() throws {
        var random = SplitMix64(seed: 7)
        var both = 0
        for _ in 0..<4_000 {
            let source = Self.pattern(&random, depth: 3)
            let other = try NSRegularExpression(pattern: source)
            let pattern = try Pattern(source)
            for _ in 0..<4 {
                let text = String(
                    (0..<Int.random(in: 0...6, using: &random)).map { _ in "ab1".randomElement(using: &random) ?? "a" })
                let expected = other.firstMatch(in: text, range: NSRange(location: 0, length: text.utf16.count)) != nil
                #expect(pattern.matches(text) == expected, "\(source) in '\(text)'")
                if expected { both += 1 }
            }
        }
        #expect(both > 3_000)
    }

    /// The same of what is looked ahead for right after a leading `^`.
    @Test func whatIsLookedAheadForIsWhereAnotherImplementationFindsIt() throws {
        var random = SplitMix64(seed: 11)
        var (found, missed) = (0, 0)
        for _ in 0..<2_000 {
            var source = "^"
            for _ in 0...Int.random(in: 0...1, using: &random) {
                source += Bool.random(using: &random) ? "(?=" : "(?!"
                source += Self.pattern(&random, depth: 2) + ")"
            }
            source += Self.pattern(&random, depth: 2)
            let other = try NSRegularExpression(pattern: source)
            let pattern = try Pattern(source)
            for _ in 0..<4 {
                let text = String(
                    (0..<Int.random(in: 0...6, using: &random)).map { _ in "ab1".randomElement(using: &random) ?? "a" })
                let expected = other.firstMatch(in: text, range: NSRange(location: 0, length: text.utf16.count)) != nil
                #expect(pattern.matches(text) == expected, "\(source) in '\(text)'")
                if expected { found += 1 } else { missed += 1 }
            }
        }
        #expect(found > 200 && missed > 200)
    }

    /// What is looked ahead for counts among the steps of a pattern, and takes its part of the budget.
    @Test func lookingAheadIsBounded() throws {
        #expect(throws: PatternRefusal.self) { try Pattern("^(?=a{6000})a{6000}$") }
        #expect(try Pattern("^(?=a{10})b").steps > Pattern("^b").steps + 10)
        var budget = 5_000
        #expect(try Pattern("^(?!(x?){1000}y)").matches(String(repeating: "x", count: 1_000), budget: &budget) == nil)
        #expect(budget <= 0)
    }

    private static func pattern(_ random: inout SplitMix64, depth: Int) -> String {
        let simple = ["a", "b", ".", "[ab]", "[^a]", "\\d", "\\w", "1"]
        guard depth > 0 else { return simple[Int.random(in: simple.indices, using: &random)] }
        func inner() -> String { pattern(&random, depth: depth - 1) }
        switch Int.random(in: 0..<9, using: &random) {
        case 0: return "(" + inner() + "|" + inner() + ")"
        case 1: return "(?:" + inner() + ")*"
        case 2: return "(" + inner() + ")+"
        case 3: return "(" + inner() + ")?"
        case 4: return "(" + inner() + "){1,2}"
        case 5: return "^" + inner()
        case 6: return inner() + "$"
        case 7: return inner() + inner()
        default: return simple[Int.random(in: simple.indices, using: &random)]
        }
    }
}
