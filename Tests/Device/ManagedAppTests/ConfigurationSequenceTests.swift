import DeviceAgent
import Foundation
import ManagedApp
import Synchronization
import TestInputs
import Testing

/// The yield rules, over a real socket.
@Suite(.timeLimit(.minutes(10)))
struct ConfigurationSequenceTests {
    struct Titled: Codable, Equatable {
        var title: String
    }

    private func list(_ title: String) throws -> Data { try propertyList(Titled(title: title)) }

    /// S4-API-14: each iteration begins with the current value, without a change.
    @Test func everyIterationBeginsWithTheCurrentConfiguration() async throws {
        let agent = try TestAgent()
        try agent.start()
        agent.tell(try list("one"))
        let link = agent.link()
        for _ in 0..<3 {
            let loop = Loop<Titled?>.over(Titled.self, link)
            #expect(await loop.next() == .some(Titled(title: "one")))
        }
    }

    /// S4-API-15: the last of many changes arrives, and nothing old after something newer.
    @Test func ofManyChangesTheLastArrivesAndNoneOutOfOrder() async throws {
        let agent = try TestAgent()
        try agent.start()
        agent.tell(try list("0"))
        let loop = Loop<Titled?>.over(Titled.self, agent.link())
        #expect(await loop.next() == .some(Titled(title: "0")))
        for number in 1...50 { agent.tell(try list("\(number)")) }
        var last = 0
        while last < 50 {
            let configuration = try #require(await loop.next())
            let number = try #require(Int(configuration?.title ?? ""))
            #expect(number > last)
            last = number
        }
    }

    /// S4-API-16, S4-API-09: not managed.
    @Test func anUnmanagedAppGetsNil() async throws {
        let agent = try TestAgent()
        try agent.start()
        agent.tell(nil as AppState?)
        let loop = Loop<Titled?>.over(Titled.self, agent.link())
        #expect(await loop.next() == .some(nil))
        agent.tell(try list("managed"))
        #expect(await loop.next() == .some(Titled(title: "managed")))
    }

    /// S4-API-16, S4-API-09: managed and not configured.
    @Test func aManagedAppWithoutConfigurationGetsNil() async throws {
        let agent = try TestAgent()
        try agent.start(AppState(managed: true, synchronised: true))
        let loop = Loop<Titled?>.over(Titled.self, agent.link())
        #expect(await loop.next() == .some(nil))
        agent.tell(try list("configured"))
        #expect(await loop.next() == .some(Titled(title: "configured")))
    }

    /// S4-API-16: bytes that are no property list.
    @Test(arguments: [Data("{\"title\": \"json\"}".utf8), Data("<plist><dict>".utf8), Data([0]), Data()])
    func aMalformedPropertyListYieldsNil(bytes: Data) async throws {
        let agent = try TestAgent()
        try agent.start()
        agent.tell(bytes)
        let loop = Loop<Titled?>.over(Titled.self, agent.link())
        #expect(await loop.next() == .some(nil))
        agent.tell(try list("right"))
        #expect(await loop.next() == .some(Titled(title: "right")))
        #expect(await agent.nextReport()?.code == ManagedAppConfigurationDecodingErrorCode.dataCorrupted)
    }

    /// S4-API-16: a property list that would crash, hang or mislead the platform's own decoder.
    @Test func aHostilePropertyListYieldsNilAndAGoodOneRecovers() async throws {
        let agent = try TestAgent()
        try agent.start()
        agent.tell(try list("good"))
        let loop = Loop<Titled?>.over(Titled.self, agent.link())
        #expect(await loop.next() == .some(Titled(title: "good")))
        // What is larger than a configuration may be never gets here: the agent refuses it.
        for (name, attack) in Attacks.propertyLists where attack.count <= 1_048_576 {
            agent.tell(attack)
            #expect(await loop.next() == .some(nil), "\(name)")
            agent.tell(try list(name))
            #expect(await loop.next() == .some(Titled(title: name)))
        }
    }

    /// S4-API-17, S4-API-07: what came last is current; a refused update does not leave the value before it.
    @Test func aRefusedUpdateYieldsNilAndAGoodOneRecovers() async throws {
        let agent = try TestAgent()
        try agent.start()
        agent.tell(try list("good"))
        let loop = Loop<Titled?>.over(Titled.self, agent.link())
        #expect(await loop.next() == .some(Titled(title: "good")))
        agent.tell(try propertyList(["title": 7]))
        #expect(await loop.next() == .some(nil))
        agent.tell(try list("good again"))
        #expect(await loop.next() == .some(Titled(title: "good again")))
        agent.tell(AppState(managed: true, synchronised: true))
        #expect(await loop.next() == .some(nil))
    }

    /// S4-API-18: the loop outlives the agent, and gets what changed meanwhile; what did not change is not repeated.
    @Test func theLoopOutlivesTheAgent() async throws {
        let agent = try TestAgent()
        try agent.start()
        agent.tell(try list("before"))
        let loop = Loop<Titled?>.over(Titled.self, agent.link())
        #expect(await loop.next() == .some(Titled(title: "before")))
        agent.stop()
        try agent.start()
        // The app gets nothing until the agent has read its store.
        agent.tell(try list("before"))
        agent.stop()
        try agent.start()
        agent.tell(try list("after"))
        #expect(await loop.next() == .some(Titled(title: "after")))
    }

    /// S4-API-18: unmanaged and managed again.
    @Test func theLoopOutlivesTheEndOfManagement() async throws {
        let agent = try TestAgent()
        try agent.start()
        agent.tell(try list("first"))
        let loop = Loop<Titled?>.over(Titled.self, agent.link())
        #expect(await loop.next() == .some(Titled(title: "first")))
        agent.tell(nil as AppState?)
        #expect(await loop.next() == .some(nil))
        agent.tell(try list("first"))
        #expect(await loop.next() == .some(Titled(title: "first")))
    }

    /// S4-API-18: cancellation of its task is the only end.
    @Test func theLoopEndsWhenItsTaskIsCancelled() async throws {
        let agent = try TestAgent()
        try agent.start()
        agent.tell(try list("value"))
        let loop = Loop<Titled?>.over(Titled.self, agent.link())
        #expect(await loop.next() == .some(Titled(title: "value")))
        loop.cancel()
        #expect(await loop.next() == nil)
    }

    /// The same state again, or one that differs only in how old it is, is no news for the app.
    @Test func anEqualConfigurationIsNotYieldedAgain() async throws {
        let agent = try TestAgent()
        try agent.start()
        agent.tell(try list("same"))
        let loop = Loop<Titled?>.over(Titled.self, agent.link())
        #expect(await loop.next() == .some(Titled(title: "same")))
        for generation in 1...5 {
            agent.tell(
                AppState(
                    managed: true, synchronised: true, stale: generation.isMultiple(of: 2),
                    configuration: try list("same"), generation: generation))
        }
        agent.tell(try list("other"))
        #expect(await loop.next() == .some(Titled(title: "other")))
    }

    /// S4-FLOW-05: the app has a copy of its own.
    @Test func whatTheAppDoesToItsCopyChangesNothing() async throws {
        let agent = try TestAgent()
        try agent.start()
        let bytes = try list("original")
        agent.tell(bytes)
        let link = agent.link()
        let first = try #require(await Loop<Titled?>.over(Titled.self, link).next())
        var mine = try #require(first)
        mine.title = "changed"
        #expect(await Loop<Titled?>.over(Titled.self, link).next() == .some(Titled(title: "original")))
        #expect(await Loop<Titled?>.over(Titled.self, agent.link()).next() == .some(Titled(title: "original")))
        #expect(mine.title == "changed")
    }

    /// S4-API-22: both forms of a property list.
    @Test(arguments: [PropertyListDecoder.PropertyListFormat.xml, .binary])
    func readsBothFormsOfPropertyLists(format: PropertyListDecoder.PropertyListFormat) async throws {
        let agent = try TestAgent()
        try agent.start()
        agent.tell(try propertyList(Titled(title: "form"), format))
        #expect(await Loop<Titled?>.over(Titled.self, agent.link()).next() == .some(Titled(title: "form")))
    }

    /// S4-API-04, -05, -06: the app's own types, with their own keys, with or without an initializer of their own.
    @Test func decodesWhateverTypeTheAppNeeds() async throws {
        struct Keyed: Decodable, Equatable {
            var number: Int?
            enum CodingKeys: String, CodingKey { case number = "com.example.number" }
        }
        let agent = try TestAgent()
        try agent.start()
        agent.tell(try propertyList(["com.example.number": 7]))
        let link = agent.link()
        #expect(await Loop<Keyed?>.over(Keyed.self, link).next() == .some(Keyed(number: 7)))
        #expect(await Loop<[String: Int]?>.over([String: Int].self, link).next() == .some(["com.example.number": 7]))
        #expect(await Loop<Titled?>.over(Titled.self, link).next() == .some(nil))
    }
}
