import ClientInSwift5
import ClientOnMainActor
import DeviceAgent
import Foundation
import ManagedApp
import Testing

/// Clients compiled in other modes than the library's, behind an agent.
@Suite(.timeLimit(.minutes(10)))
struct ClientModeTests {
    struct Sent: Codable {
        var title: String?
        var numbers: [Int]?
        var places: [Int]?

        enum CodingKeys: String, CodingKey {
            case title, numbers
            case places = "com.example.places"
        }
    }

    /// S4-API-06, S4-API-11: where everything is the main actor's, with an initializer of the compiler's.
    @Test @MainActor func aModuleOfTheMainActorGetsItsValues() async throws {
        let agent = try TestAgent()
        try agent.start()
        agent.tell(try propertyList(Sent(title: "one", numbers: [1, 2])))
        let model = MainActorModel(provider: ManagedAppConfigurationProvider(link: agent.link()))
        let loading = model.load()
        var titles = model.titles.makeAsyncIterator()
        #expect(await titles.next() == "one [1, 2]")
        agent.tell(try propertyList(Sent(title: "two")))
        #expect(await titles.next() == "two []")
        #expect(model.title == "two []")
        loading.cancel()
        await loading.value
        #expect(await MainActorModel.password() == "invalid")
    }

    /// An initializer that is the main actor's runs there; on another thread the first closure in it would end the app.
    @Test @MainActor func anInitialiserOfTheMainActorRunsOnIt() async throws {
        let agent = try TestAgent()
        try agent.start()
        agent.tell(try propertyList(Sent(title: "checked", places: [2, 1])))
        let model = MainActorModel(provider: ManagedAppConfigurationProvider(link: agent.link()))
        let loading = Task { await model.loadChecked() }
        var titles = model.titles.makeAsyncIterator()
        #expect(await titles.next() == #"checked ["two", "one"]"#)
        #expect(await agent.nextReport()?.valid == true)
        agent.tell(try propertyList(Sent(places: [3])))
        #expect(await titles.next() == "nil")
        let report = try #require(await agent.nextReport())
        #expect(report.code == 100 && report.keyPath == "com.example.places")
        agent.tell(try propertyList(Sent()))
        #expect(await titles.next() == "Untitled []")
        loading.cancel()
        await loading.value
    }

    /// The time limit cannot end what runs on the main actor; that it has passed is told all the same.
    @Test @MainActor func aSlowInitialiserOfTheMainActorIsReported() async throws {
        let agent = try TestAgent()
        try agent.start()
        agent.tell(try propertyList(Sent(title: "slow", places: [])))
        let decoding = TimedDecoding(limit: .milliseconds(1), abandoned: AbandonedThreads())
        let provider = ManagedAppConfigurationProvider(link: agent.link(), decoding: decoding)
        // It takes until the report of its slowness is there, which comes from a thread of the library's.
        let told = DispatchSemaphore(value: 0)
        let report = Task.detached {
            defer { told.signal() }
            return await agent.nextReport()
        }
        SlowDecoding.wait = { _ = told.wait(timeout: .now() + .seconds(240)) }
        let model = MainActorModel(provider: provider)
        let loading = Task { await model.loadSlow() }
        var titles = model.titles.makeAsyncIterator()
        #expect(await titles.next() == "slow")
        #expect(await report.value?.code == ManagedAppConfigurationDecodingErrorCode.timeout)
        #expect(await agent.nextReport()?.valid == true)
        loading.cancel()
        await loading.value
    }

    /// In Swift 5: a task, a detached one, one of the main actor and an actor.
    @Test(arguments: 0..<4) func aModuleInSwiftFiveGetsItsValues(kind: Int) async throws {
        let agent = try TestAgent()
        try agent.start()
        agent.tell(try propertyList(Sent(title: "one")))
        let link = agent.link()
        let (titles, changed) = AsyncStream<String>.makeStream()
        let model = OldModel { ManagedAppConfigurationProvider(link: link) }
        model.onChange = { changed.yield($0) }
        let starts = [model.start, model.startDetached, model.startOnMainActor, model.startInActor]
        let loading = starts[kind]()
        var iterator = titles.makeAsyncIterator()
        #expect(await iterator.next() == "one")
        agent.tell(try propertyList(["title": 7]))
        #expect(await iterator.next() == "nil")
        agent.tell(try propertyList(Sent(title: "two")))
        #expect(await iterator.next() == "two")
        loading.cancel()
        await loading.value
        #expect(await oldPassword() == "invalid")
    }

    /// In Swift 6 without our settings, as the tests of `ManagedAppClientTests`: an actor and a detached task.
    @Test func anActorAndADetachedTaskGetTheirValues() async throws {
        let agent = try TestAgent()
        try agent.start()
        agent.tell(try propertyList(Sent(title: "anywhere")))
        let link = agent.link()
        let detached = Task.detached {
            for await value in await ManagedAppConfigurationProvider(link: link).configurations([String: String].self) {
                return value
            }
            return nil
        }
        #expect(await detached.value == ["title": "anywhere"])
        #expect(await Reader().read(link) == ["title": "anywhere"])
    }

    private actor Reader {
        func read(_ link: AgentLink) async -> [String: String]? {
            let provider = ManagedAppConfigurationProvider(link: link)
            for await value in await provider.configurations([String: String].self) { return value }
            return nil
        }
    }
}
