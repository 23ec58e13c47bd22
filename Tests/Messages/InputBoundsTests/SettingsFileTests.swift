import Foundation
import InputBounds
import Testing

/// A settings file is taken if the program knows each member of it; otherwise the error names file, member and the one
/// that was probably meant.
///
/// Red where what nobody reads was passed over: `hostname` instead of `hostnames` had no effect, and nothing said so.
struct SettingsFileTests {
    private let file = SettingsFile(at: "/etc/martlet/test.json", known: ["host", "hostnames", "port", "log.level"])

    private func refusal(_ text: String) -> String? { file.refusal(of: Data(text.utf8)) }

    @Test(arguments: [
        "{}", #"{"host": "::1", "port": 1}"#, #"{"log": {"level": "info"}}"#, #"{"log.level": "info"}"#,
        "\u{FEFF}{\"hostnames\": [\"a\"]}",
    ])
    func whatIsKnownIsTaken(text: String) {
        #expect(refusal(text) == nil)
    }

    @Test func theMemberAndTheNearestOneAreNamed() throws {
        let one = try #require(refusal(#"{"host": "::1", "hostname": ["a"]}"#))
        #expect(one.contains("/etc/martlet/test.json") && one.contains(#""hostname" (did you mean "hostnames"?)"#))
        #expect(!one.contains(#""host","#) && !one.contains("::1"), "neither what is known nor a value")
        let none = try #require(refusal(#"{"completelyElse": 1}"#))
        #expect(none.contains(#""completelyElse""#) && !none.contains("did you mean"))
        let other = try #require(refusal(#"{"Port": 1}"#))
        #expect(other.contains(#"did you mean "port"?"#), "case counts for the reader, not for the suggestion")
    }

    @Test func aMemberInsideAnotherIsNamedWithBoth() throws {
        let inner = try #require(refusal(#"{"log": {"levl": "info"}}"#))
        #expect(inner.contains(#""log.levl" (did you mean "log.level"?)"#))
        let scalar = try #require(refusal(#"{"log": "info"}"#))
        #expect(scalar.contains(#""log""#))
        let object = try #require(refusal(#"{"tls": {"port": 1}}"#))
        #expect(object.contains(#""tls""#) && !object.contains("tls.port"))
    }

    @Test func ofManyTheFirstAreNamed() throws {
        let members = (1...9).map { "\"zzz\($0)\": 1" }.joined(separator: ", ")
        let many = try #require(refusal("{\(members)}"))
        #expect(many.contains(#""zzz1", "zzz2", "zzz3", "zzz4", "zzz5", 4 more"#))
    }

    @Test func whatIsNoObjectIsSaidWithItsPlace() throws {
        #expect(try #require(refusal("[]")).contains("/etc/martlet/test.json must be one JSON object"))
        let cut = try #require(refusal("{\n\"host\": }"))
        #expect(cut.contains("/etc/martlet/test.json must be JSON: line 2, column 9"))
        let missing = try #require(file.refusal(of: nil))
        #expect(missing.contains("/etc/martlet/test.json cannot be read"))
    }
}
