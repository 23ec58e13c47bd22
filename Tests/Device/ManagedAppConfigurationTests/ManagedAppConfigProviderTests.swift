import Configuration
import ConfigurationTesting
import DeviceAgent
import Foundation
import ManagedApp
import ManagedAppConfiguration
import Testing
import Waiting

/// The managed configuration through swift-configuration, from a real agent's socket.
@Suite(.timeLimit(.minutes(10)))
struct ManagedAppConfigProviderTests {
    private let agent: ToldAgent

    init() throws { agent = try ToldAgent() }

    private func provider(
        _ body: String, _ secrets: SecretsSpecifier<[String], ConfigContent> = .none
    ) async -> ManagedAppConfigProvider {
        agent.tell(body)
        return await ManagedAppConfigProvider(link: agent.link, secretsSpecifier: secrets)
    }

    /// D8: the suite that swift-configuration has for everybody's providers.
    @Test func passesTheSuiteOfTheProtocol() async throws {
        let magic = "bWFnaWM=", magic2 = "bWFnaWMy"
        let one = """
            <key>string</key><string>Hello</string><key>int</key><integer>42</integer><key>double</key><real>3.14</real>
            <key>bool</key><true/><key>bytes</key><data>\(magic)</data>
            <key>stringy</key><dict><key>array</key><array><string>Hello</string><string>World</string></array></dict>
            <key>inty</key><dict><key>array</key><array><integer>42</integer><integer>24</integer></array></dict>
            <key>doubly</key><dict><key>array</key><array><real>3.14</real><real>2.72</real></array></dict>
            <key>booly</key><dict><key>array</key><array><true/><false/></array></dict>
            <key>byteChunky</key><dict><key>array</key><array><data>\(magic)</data><data>\(magic2)</data></array></dict>
            """
        let other = """
            <key>string</key><string>Other Hello</string><key>int</key><integer>24</integer><key>double</key><real>2.72</real>
            <key>bool</key><false/><key>bytes</key><data>\(magic2)</data>
            <key>stringy</key><dict><key>array</key><array><string>Hello</string><string>Swift</string></array></dict>
            <key>inty</key><dict><key>array</key><array><integer>16</integer><integer>32</integer></array></dict>
            <key>doubly</key><dict><key>array</key><array><real>0.9</real><real>1.8</real></array></dict>
            <key>booly</key><dict><key>array</key><array><false/><true/><true/></array></dict>
            <key>byteChunky</key><dict><key>array</key><array>
            <data>\(magic)</data><data>\(magic2)</data><data>\(magic)</data></array></dict>
            """
        let provider = await provider("\(one)<key>other</key><dict>\(other)</dict>")
        try await ProviderCompatTest(provider: provider).runTest()
    }

    @Test func aChangeReachesReadersAndWatchersWithoutARestart() async throws {
        let provider = await provider("<key>port</key><integer>1</integer><key>other</key><string>a</string>")
        let config = ConfigReader(provider: provider)
        #expect(config.int(forKey: "port") == 1)
        try await config.watchInt(forKey: "port") { updates in
            var updates = updates.makeAsyncIterator()
            #expect(try await updates.next() == .some(1))
            // A change of a value that nobody watches sends no event.
            agent.tell("<key>port</key><integer>1</integer><key>other</key><string>b</string>")
            try await eventually("the other value is there") { config.string(forKey: "other") == "b" }
            agent.tell("<key>port</key><integer>2</integer>")
            #expect(try await updates.next() == .some(2))
            #expect(config.int(forKey: "port") == 2)
            #expect(try await config.fetchInt(forKey: "port") == 2)
        }
    }

    /// Withdrawn, and no longer managed: there are no values, and none of before is left.
    @Test func whatIsTakenAwayIsGone() async throws {
        let provider = await provider("<key>port</key><integer>1</integer><key>name</key><string>a</string>")
        try await provider.watchSnapshot { updates in
            var updates = updates.makeAsyncIterator()
            let key = AbsoluteConfigKey(["port"])
            #expect(try await updates.next()?.value(forKey: key, type: .int).value != nil)
            agent.tell("<key>name</key><string>a</string>")
            #expect(try await updates.next()?.value(forKey: key, type: .int).value == nil)
            agent.tell(nil)
            let last = try #require(await updates.next())
            #expect(try last.value(forKey: AbsoluteConfigKey(["name"]), type: .string).value == nil)
            #expect(try provider.value(forKey: AbsoluteConfigKey(["name"]), type: .string).value == nil)
        }
    }

    @Test func aWatcherEndsWhenItsTaskIsCancelled() async throws {
        let provider = await provider("<key>port</key><integer>1</integer>")
        let (began, begun) = AsyncStream.makeStream(of: Void.self)
        let task = Task {
            var count = 0
            try await provider.watchValue(forKey: AbsoluteConfigKey(["port"]), type: .int) { updates in
                for try await _ in updates {
                    count += 1
                    begun.yield()
                }
            }
            return count
        }
        for await _ in began { break }
        task.cancel()
        #expect(try await task.value == 1)
    }

    @Test func valuesThatAreSecretSaySo() async throws {
        let body = "<key>token</key><string>abc</string><key>a</key><dict><key>token</key><string>d</string></dict>"
        let specific = await provider(body, .specific([["a", "token"]]))
        #expect(try specific.value(forKey: AbsoluteConfigKey(["a", "token"]), type: .string).value?.isSecret == true)
        #expect(try specific.value(forKey: AbsoluteConfigKey(["token"]), type: .string).value?.isSecret == false)
        let all = await provider(body, .all)
        let value = try all.value(forKey: AbsoluteConfigKey(["token"]), type: .string).value
        #expect(value?.isSecret == true && value.map { !"\($0)".contains("abc") } == true)
    }

    /// A name with a dot is one component, and never the same key as two names.
    @Test func aNameWithADotIsOneComponent() async throws {
        let provider = await provider(
            "<key>a.b</key><string>one</string><key>a</key><dict><key>b</key><string>two</string></dict>")
        let one = try provider.value(forKey: AbsoluteConfigKey(["a.b"]), type: .string)
        let two = try provider.value(forKey: AbsoluteConfigKey(["a", "b"]), type: .string)
        #expect(one.value?.content == .string("one") && two.value?.content == .string("two"))
        #expect(one.encodedKey != two.encodedKey)
    }

    @Test func whatTheProtocolHasNoTypeForIsTextOrJSON() async throws {
        let provider = await provider(
            """
            <key>when</key><date>2026-01-02T03:04:05Z</date>
            <key>mixed</key><array><integer>1</integer><string>a</string></array>
            <key>maps</key><array><dict><key>x</key><true/></dict></array><key>none</key><array/>
            <key>whole</key><integer>3</integer><key>text</key><string>3</string>
            """)
        func read(_ name: String, _ type: ConfigType) throws -> ConfigContent? {
            try provider.value(forKey: AbsoluteConfigKey([name]), type: type).value?.content
        }
        #expect(try read("when", .string) == .string("2026-01-02T03:04:05Z"))
        #expect(try read("mixed", .bytes) == .bytes(Array(#"[1,"a"]"#.utf8)))
        #expect(try read("maps", .bytes) == .bytes(Array(#"[{"x":true}]"#.utf8)))
        #expect(try read("none", .intArray) == .intArray([]))
        #expect(try read("whole", .double) == .double(3))
        // An error for the one value, without it; the others are not concerned.
        let wrong: [(String, ConfigType)] = [
            ("mixed", .intArray), ("text", .int), ("whole", .bool), ("when", .int), ("text", .bytes), ("maps", .string),
        ]
        for (name, type) in wrong {
            let error = #expect(throws: ManagedAppConfigTypeMismatch.self) { try read(name, type) }
            #expect(error?.key == name)
        }
    }

    /// Started from a shell or an editor.
    @Test func withoutADeviceThereAreNoValues() async throws {
        let provider = await ManagedAppConfigProvider(link: AgentLink(origin: .init(socket: nil, path: nil)))
        let config = ConfigReader(provider: provider)
        #expect(config.int(forKey: "port", default: 7) == 7)
        #expect("\(provider)" == provider.providerName)
    }
}
