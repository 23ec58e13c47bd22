import DeviceAgent
import Foundation
import ManagedApp
import Synchronization
import TestInputs
import Testing

/// The framework's configuration, else what the app was configured with before, else its own default: A17, A18.
@Suite(.timeLimit(.minutes(10)))
struct ConfigurationFallbackTests {
    struct Titled: Codable, Equatable, Sendable {
        var title: String
    }

    private func list(_ title: String) throws -> Data { try propertyList(Titled(title: title)) }

    private func loop(_ agent: TestAgent, _ fallback: AsyncStream<Data?>) -> Loop<Titled?> {
        let link = agent.link()
        return Loop { receive in
            let provider = ManagedAppConfigurationProvider(link: link)
            for await one in await provider.configurations(Titled.self, fallback: fallback) { receive(one) }
        }
    }

    /// S4-BP-08: both are set with different values; one is removed, then the other.
    @Test func theFrameworksConfigurationGoesBeforeTheOlderOne() async throws {
        let agent = try TestAgent()
        try agent.start()
        agent.tell(try list("framework"))
        let legacy = Mutex<[String: String]?>(["title": "legacy"])
        let source = LegacyConfiguration { legacy.withLock { $0 } }
        let loop = loop(agent, source.configurations)
        #expect(await loop.next() == .some(Titled(title: "framework")))
        agent.tell(nil as Data?)
        #expect(await loop.next() == .some(Titled(title: "legacy")))
        legacy.withLock { $0 = nil }
        source.changed()
        #expect(await loop.next() == .some(nil))
        agent.tell(try list("again"))
        #expect(await loop.next() == .some(Titled(title: "again")))
    }

    /// S4-BP-09: at no moment between the two is the app told that there is nothing.
    @Test func aMoveFromOneToTheOtherShowsNothingBetween() async throws {
        let agent = try TestAgent()
        try agent.start(AppState(managed: true, synchronised: true))
        let source = LegacyConfiguration { ["title": "legacy"] }
        let loop = loop(agent, source.configurations)
        #expect(await loop.next() == .some(Titled(title: "legacy")))
        for number in 0..<20 {
            agent.tell(try list("framework \(number)"))
            #expect(await loop.next() == .some(Titled(title: "framework \(number)")))
            agent.tell(nil as Data?)
            #expect(await loop.next() == .some(Titled(title: "legacy")))
        }
    }

    /// Whatever the older one says meanwhile.
    @Test func theOlderOneIsNotHeardWhileThereIsANewOne() async throws {
        let agent = try TestAgent()
        try agent.start()
        agent.tell(try list("framework"))
        let (fallback, legacy) = AsyncStream<Data?>.makeStream()
        let loop = loop(agent, fallback)
        #expect(await loop.next() == .some(Titled(title: "framework")))
        for number in 0..<5 { legacy.yield(try list("legacy \(number)")) }
        agent.tell(try list("framework 2"))
        #expect(await loop.next() == .some(Titled(title: "framework 2")))
    }

    /// A refused one counts as none, wherever it comes from.
    @Test func whatTheDecoderRefusesIsNotThere() async throws {
        let agent = try TestAgent()
        try agent.start()
        agent.tell(try propertyList(["other": "x"]))
        let (fallback, legacy) = AsyncStream<Data?>.makeStream()
        legacy.yield(Data("no property list".utf8))
        let loop = loop(agent, fallback)
        #expect(await loop.next() == .some(nil))
        legacy.yield(try list("legacy"))
        #expect(await loop.next() == .some(Titled(title: "legacy")))
    }

    // MARK: Demo

    /// S4-BP-10: on an unmanaged device the app looks configured while the demo is on.
    @Test func aDemoShowsItsSampleWhereNothingIsConfigured() async throws {
        let agent = try TestAgent()
        try agent.start()
        agent.tell(nil as AppState?)
        let demo = ManagedAppDemo(configuration: try list("sample"))
        let loop = loop(agent, demo.configurations)
        #expect(await loop.next() == .some(nil))
        demo.isOn = true
        #expect(demo.isOn)
        #expect(await loop.next() == .some(Titled(title: "sample")))
        demo.isOn = false
        #expect(await loop.next() == .some(nil))
    }

    /// S4-BP-10: what an administrator configured is not altered.
    @Test func aDemoAltersNoConfiguration() async throws {
        let agent = try TestAgent()
        try agent.start()
        agent.tell(try list("managed"))
        let demo = ManagedAppDemo(configuration: try list("sample"))
        demo.isOn = true
        let loop = loop(agent, demo.configurations)
        #expect(await loop.next() == .some(Titled(title: "managed")))
        demo.isOn = false
        demo.isOn = true
        agent.tell(try list("managed still"))
        #expect(await loop.next() == .some(Titled(title: "managed still")))
    }
}
