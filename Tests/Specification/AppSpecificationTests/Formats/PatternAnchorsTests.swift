import AppSpecification
import InputBounds
import JSONSchema
import Testing

struct PatternAnchorsTests {
    @Test(arguments: [
        ("^https://.+$", "https://.+"), ("^(?:a|b)$", "(?:a|b)"), ("^(a|b)$", "(a|b)"),
        ("https://", #"[\s\S]*(?:https://)[\s\S]*"#),
        ("^a|b$", #"[\s\S]*(?:^a|b$)[\s\S]*"#), ("^(?:a)|(?:b)$", #"[\s\S]*(?:^(?:a)|(?:b)$)[\s\S]*"#),
        (#"^x\$"#, #"[\s\S]*(?:^x\$)[\s\S]*"#), (#"^x\\$"#, #"x\\"#), ("^[|]$", "[|]"), ("^[a|b]$", "[a|b]"),
        (#"^\|$"#, #"\|"#), ("^$", ""),
    ])
    func aPatternKeepsItsMeaningWhereWholeTextsMustMatch(ours: String, theirs: String) throws {
        #expect(PatternAnchors.whole(ours) == theirs)
        #expect(PatternAnchors.anchored(theirs) == ours)
        let (before, after) = (try schema(ours), try schema("^(?:" + theirs + ")$"))
        for text in ["", "a", "b", "ab", "ba", "xa\nby", "https://x", "see https://x", "|", "x$", "x\\", "x\\\n"] {
            #expect(
                before.violations(of: JSONValue.string(text)).isEmpty
                    == after.violations(of: JSONValue.string(text)).isEmpty,
                "\(ours) on \(text)")
        }
    }

    @Test func alternativesOfAForeignPatternStayTogether() {
        #expect(PatternAnchors.anchored("[A-Z]+|none") == "^(?:[A-Z]+|none)$")
        #expect(PatternAnchors.anchored("(a|b)") == "^(a|b)$")
    }

    private func schema(_ pattern: String) throws -> JSONSchema {
        try JSONSchema(.object(["pattern": .string(pattern)]))
    }
}
