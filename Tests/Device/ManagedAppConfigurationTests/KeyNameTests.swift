import Configuration
import ManagedApp
import ManagedAppConfiguration
import Testing

/// How the keys of a configuration are named to people.
@Suite(.timeLimit(.minutes(10)))
struct KeyNameTests {
    private let agent: ToldAgent

    init() throws { agent = try ToldAgent() }

    /// Was red: a dot with a combining mark behind it is another character to Swift, so that two keys had one name.
    @Test func twoKeysAreNeverNamedAlike() async throws {
        agent.tell("<key>a</key><string>b</string>")
        let provider = await ManagedAppConfigProvider(link: agent.link)
        func name(_ components: [String]) throws -> String {
            try provider.value(forKey: AbsoluteConfigKey(components), type: .string).encodedKey
        }
        #expect(try name(["a.\u{301}b"]).utf8.elementsEqual(#"a\.\#u{301}b"#.utf8))
        #expect(try name(["a", "\u{301}b"]).utf8.elementsEqual("a.\u{301}b".utf8))
        #expect(try name(["a\\\u{301}"]).utf8.elementsEqual(#"a\\\#u{301}"#.utf8))
    }
}
