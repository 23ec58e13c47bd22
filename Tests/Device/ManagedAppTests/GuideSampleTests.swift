import Foundation
import ManagedApp
import PlayedAgent
import Testing

/// What the guide to designing a configuration calls wrong goes wrong while an app runs, and what it calls right does not.
@Suite(.timeLimit(.minutes(10)))
struct GuideSampleTests {
    private let managed = NewsConfig(topic: "managed")
    private let older = NewsConfig(topic: "older")

    private func device(_ configuration: NewsConfig?) throws -> TestAgent {
        let agent = try TestAgent()
        try agent.start()
        agent.tell(try configuration.map { try propertyList($0) })
        return agent
    }

    private func loop(
        _ agent: TestAgent,
        _ follow: @escaping @Sendable (ManagedAppConfigurationProvider, (NewsConfig?) -> Void) async -> Void
    ) -> Loop<NewsConfig?> {
        let link = agent.link()
        return Loop { receive in await follow(ManagedAppConfigurationProvider(link: link)) { receive($0) } }
    }

    /// S4-BP-03.
    @Test func whoKeepsAPasswordGoesOnWithTheOldOne() async throws {
        let agent = try PlayedAgent()
        try agent.start()
        agent.change { $0.passwords["account"] = "first" }
        let wrong = KeepsThePassword(ManagedAppPasswordsProvider(link: agent.link()))
        let right = LooksItUp(passwords: ManagedAppPasswordsProvider(link: agent.link()))
        #expect(try await wrong.password() == "first")
        #expect(try await right.password() == "first")
        agent.change { $0.passwords["account"] = "second" }
        #expect(try await right.password() == "second")
        #expect(try await wrong.password() == "first")
    }

    /// S4-BP-08.
    @Test func whatComesByTheFrameworkGoesBeforeTheOlderOne() async throws {
        #expect(olderGoesBefore(older, managed) == older)
        let agent = try device(managed)
        let legacy = LegacyConfiguration { ["topic": "older"] }
        let right = loop(agent) { await followBoth($0, legacy, show: $1) }
        #expect(await right.next() == managed)
        agent.tell(nil as Data?)
        #expect(await right.next() == older)
    }

    /// S4-BP-09.
    @Test func whoHasForgottenTheOlderWayHasNothingInBetween() async throws {
        let agent = try device(nil)
        let legacy = LegacyConfiguration { ["topic": "older"] }
        let wrong = loop(agent) { await followThisAlone($0, show: $1) }
        let right = loop(agent) { await followBoth($0, legacy, show: $1) }
        #expect(await wrong.next() == .some(nil))
        #expect(await right.next() == older)
        agent.tell(try propertyList(managed))
        #expect(await wrong.next() == managed)
        #expect(await right.next() == managed)
    }

    /// S4-BP-10: without an administrator nobody can set the key that turns a demo on.
    @Test func aDemoIsASwitchOfTheAppsAndAltersNothingThatIsManaged() async throws {
        let sample = try propertyList(NewsConfig(topic: "sample"))
        // An agent ends with its last mention.
        let other = try device(nil)
        defer { withExtendedLifetime(other) {} }
        let unmanaged = Loop<DemoByConfiguration?>.over(DemoByConfiguration.self, other.link())
        #expect(await unmanaged.next() == .some(nil))
        let agent = try device(nil)
        let demo = ManagedAppDemo(configuration: sample)
        let right = loop(agent) { await followDemo($0, demo, show: $1) }
        #expect(await right.next() == .some(nil))
        demo.isOn = true
        #expect(await right.next() == NewsConfig(topic: "sample"))
        agent.tell(try propertyList(managed))
        #expect(await right.next() == managed)
    }
}
