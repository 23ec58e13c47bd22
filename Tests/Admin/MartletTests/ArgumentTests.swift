import AdminMessages
import Foundation
import Testing
import martlet

struct ArgumentTests {
    @Test(arguments: [
        ("250ms", Duration.milliseconds(250)), ("0", .zero), ("30s", .seconds(30)), ("5m", .seconds(300)),
        ("1h", .seconds(3600)), ("7d", .seconds(604_800)),
    ])
    func readsASpanOfTime(text: String, duration: Duration) {
        #expect(TimeSpan(argument: text)?.duration == duration)
    }

    /// Red where a number without a unit was taken as seconds.
    @Test(arguments: ["", "h", "1", "30", "1w", "-1s", "1.5h", "1 h", "9999999999s"])
    func refusesWhatIsNoSpanOfTime(text: String) {
        #expect(TimeSpan(argument: text) == nil)
    }

    @Test(arguments: [
        ("2026-01-31", "2026-01-31T00:00:00Z"), ("2026-01-31T12:30:00Z", "2026-01-31T12:30:00Z"),
        ("2026-01-31T12:30:00+02:00", "2026-01-31T10:30:00Z"), ("7d", "2027-01-08T08:00:00Z"),
        ("90s", "2027-01-15T07:58:30Z"),
    ])
    func readsAMoment(text: String, moment: String) {
        #expect(Moment(text, now: Date(timeIntervalSince1970: 1_800_000_000))?.text == moment)
    }

    @Test(arguments: ["", "yesterday", "2026-13-01", "2026-01-31 12:00", "60", "31.1.2026"])
    func refusesWhatIsNoMoment(text: String) {
        #expect(Moment(argument: text) == nil)
    }

    @Test func saysFromWhereALogIsWhole() {
        let whole = AuditText.verified(AuditVerification(intact: true, entries: 3, head: "ab"))
        #expect(whole == "3 entries, each follows from the one before. The last one's hash is ab.")
        let cut = AuditText.verified(AuditVerification(intact: true, entries: 3, first: 8, head: "ab"))
        #expect(cut.contains("It begins at entry 8: those before had had their time"))
    }

    /// Red where an app without a team was put on record as “team null”.
    @Test func detailsThatAreNotThereAreNone() {
        #expect(AuditText.details(.object(["name": .string("Notes"), "team": .null])) == "name Notes, team none")
    }

    @Test(arguments: [("linux", "Linux"), ("macos", "macOS"), ("ios", "iOS"), ("visionos", "visionOS"), ("tv", "tv")])
    func namesAPlatformAsPeopleWriteIt(word: String, name: String) {
        #expect(AppSourceText.platform(word) == name)
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
