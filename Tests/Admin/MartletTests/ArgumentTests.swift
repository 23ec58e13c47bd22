import Testing
import martlet

struct ArgumentTests {
    @Test(arguments: [
        ("250ms", Duration.milliseconds(250)), ("30", .seconds(30)), ("30s", .seconds(30)), ("5m", .seconds(300)),
        ("1h", .seconds(3600)), ("7d", .seconds(604_800)),
    ])
    func readsASpanOfTime(text: String, duration: Duration) {
        #expect(TimeSpan(argument: text)?.duration == duration)
    }

    @Test(arguments: ["", "h", "1w", "-1s", "1.5h", "1 h", "9999999999s"])
    func refusesWhatIsNoSpanOfTime(text: String) {
        #expect(TimeSpan(argument: text) == nil)
    }

    @Test func keepsWhatWasTypedInsideItsPartOfThePath() {
        #expect(RequestPath.text(["groups", "a/b?c#d é"]) == "/groups/a%2Fb%3Fc%23d%20%C3%A9")
        #expect(RequestPath.text(["groups", ".."]) == "/groups/%2E%2E")
        #expect(RequestPath.text(["devices"], query: [("cursor", "a&b=c")]) == "/devices?cursor=a%26b%3Dc")
    }

    @Test func readsAFingerprintAsPeopleCopyIt() {
        let digits = String(repeating: "ab", count: 32)
        let copied = Array(repeating: "AB", count: 32).joined(separator: ":")
        #expect(Authority.fingerprint(reading: copied) == digits)
        #expect(Authority.fingerprint(reading: digits) == digits)
        #expect(Authority.fingerprint(reading: String(digits.dropLast())) == nil)
        #expect(Authority.fingerprint(reading: String(repeating: "zz", count: 32)) == nil)
    }
}
