import Patterns
import Testing

struct PatternExampleTests {
    @Test(arguments: [
        "^([0-9A-Fa-f]{2}:){5}([0-9A-Fa-f]{2})$", "^https?://.+$", "^(?:a|b)$", "^\\d{4}-\\d{2}$", "^[^a-zA-Z0-9]$",
        "^\\p{Lu}+$", "x\\$", "^.{8,64}$", "", "^$", "[\\u0400-\\u04FF]{3}", "\\bword\\b",
        "^(?!x)[a-z]+$",
    ])
    func anExampleMatchesItsPattern(source: String) throws {
        let pattern = try Pattern(source)
        let example = try #require(pattern.example())
        #expect(pattern.matches(example), "\(example)")
    }

    @Test(arguments: [(0, "-"), (1, "-a"), (3, "-aaa"), (9, "-aaaa")])
    func whatMayBeRepeatedIsThereSoManyTimes(times: Int, text: String) throws {
        #expect(try Pattern("^-[a-z]{0,4}$").example(repeating: times) == text)
    }

    /// What nothing matches has no example, and neither has what is not found.
    @Test(arguments: ["a^b", "a\\bb", "^[^\\s\\S]$"])
    func whatNothingMatchesHasNone(source: String) throws {
        #expect(try Pattern(source).example() == nil)
    }

    /// Red where repetitions in one another multiply without an end.
    @Test(arguments: [1, 2, 64, 1_000_000])
    func repetitionsInOneAnotherComeToAnEnd(times: Int) throws {
        let text = try Pattern("^((((((a*)*)*)*)*)*)*$").example(repeating: times)
        #expect((text ?? "").utf8.count <= 10_000)
    }
}
