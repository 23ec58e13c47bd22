import AppMessages
import DeviceAgent
import DeviceMessages
import Foundation
import ManagedApp
import Synchronization
import Testing
import Waiting

/// Trials in an app's process: the decoder of each loop judges, and no loop sees anything of it.
///
/// One after the other: what trials are given up is counted for the whole process.
@Suite(.serialized, .timeLimit(.minutes(10)))
struct TrialTests {
    struct Titled: Codable, Equatable {
        var title: String
    }

    private func candidate(_ list: [String: String]) throws -> TryConfiguration {
        TryConfiguration(app: TestAgent.app, configuration: try propertyList(list))
    }

    /// A loop that has been given what is configured.
    private func told(_ agent: TestAgent, _ link: AgentLink) async throws -> Loop<Titled?> {
        agent.tell(try propertyList(Titled(title: "real")))
        let loop = Loop<Titled?>.over(Titled.self, link)
        // A link that is open already may first have the earlier configuration.
        var first = await loop.next()
        while first == .some(nil) { first = await loop.next() }
        #expect(first == .some(Titled(title: "real")))
        #expect(await agent.nextReport()?.valid == true)
        return loop
    }

    @Test func aTrialIsJudgedByTheDecoderAndYieldsNothing() async throws {
        let agent = try TestAgent()
        try agent.start()
        let link = agent.link()
        let loop = try await told(agent, link)
        let before = link.news
        #expect(await agent.attempt(try candidate(["title": "tried"])) == .accepted)
        let verdict = await agent.attempt(try candidate(["titel": "tried"]))
        guard case .refused(let refusal) = verdict else {
            Issue.record("\(verdict)")
            return
        }
        #expect(refusal.code == ManagedAppConfigurationDecodingErrorCode.keyNotFound)
        #expect(refusal.keyPath == "title" && !refusal.keyPathSupplied && refusal.type == "Titled")
        #expect(link.news == before)
        #expect(await ManagedAppStatus.of(link).configuration == .available)
        // What was tried would have come before this.
        agent.tell(try propertyList(Titled(title: "next")))
        #expect(await loop.next() == .some(Titled(title: "next")))
        #expect(await agent.nextReport()?.version == AppState.version(of: try propertyList(Titled(title: "next"))))
    }

    /// The app's own code and words, and the place where the decoder was.
    @Test func anAppsOwnErrorComesBackAsItWouldBeReported() async throws {
        struct Refusing: Decodable, Sendable {
            enum Key: CodingKey { case a }
            init(from decoder: any Decoder) throws {
                guard try decoder.container(keyedBy: Key.self).decode(Int.self, forKey: .a) != 1 else {
                    throw try OwnError(42)
                }
            }
        }
        let agent = try TestAgent()
        try agent.start()
        agent.tell(try propertyList(["a": 2]))
        let loop = Loop<Refusing?>.over(Refusing.self, agent.link())
        #expect(await loop.next() != nil)
        let trial = TryConfiguration(app: TestAgent.app, configuration: try propertyList(["a": 1]))
        #expect(
            await agent.attempt(trial)
                == .refused(
                    TrialRefusal(code: 42, message: "own", keyPath: "a", keyPathSupplied: true, type: "Refusing")))
    }

    /// Each loop decodes as its own type; one refusal is the answer.
    @Test func everyLoopTriesAndAnyRefusalCounts() async throws {
        struct Other: Decodable, Sendable { var other: String }
        let agent = try TestAgent()
        try agent.start()
        agent.tell(try propertyList(["title": "t", "other": "o"]))
        let link = agent.link()
        let titled = Loop<Titled?>.over(Titled.self, link)
        let other = Loop<Other?>.over(Other.self, link)
        #expect(await titled.next() != nil)
        #expect(await other.next() != nil)
        #expect(await agent.attempt(try candidate(["title": "", "other": ""])) == .accepted)
        let verdict = await agent.attempt(try candidate(["title": ""]))
        guard case .refused(let refusal) = verdict else {
            Issue.record("\(verdict)")
            return
        }
        #expect(refusal.type == "Other" && refusal.keyPath == "other")
    }

    /// What is on the main actor only is decoded there, as its real configurations are.
    @MainActor @Test func aLoopOnTheMainActorTriesThere() async throws {
        let agent = try TestAgent()
        try agent.start(AppState(managed: true, synchronised: true))
        let link = agent.link()
        let task = Task { @MainActor in
            for await _ in await ManagedAppConfigurationProvider(link: link).configurations(Isolated.self) {}
        }
        defer { task.cancel() }
        try await eventually("the loop tries") { await agent.attempt(try candidate(["title": "t"])) == .accepted }
        guard case .refused = await agent.attempt(try candidate([:])) else { return #expect(Bool(false)) }
    }

    @Test func whereNothingDecodesNothingIsTried() async throws {
        let agent = try TestAgent()
        try agent.start(AppState(managed: true, synchronised: true))
        let link = agent.link()
        #expect(await agent.attempt(try candidate(["title": "t"])) == .untried(.notIterating))
        var updates = ManagedAppStatusSequence(link: link).makeAsyncIterator()
        _ = await updates.next()
        #expect(await agent.attempt(try candidate(["title": "t"])) == .untried(.notIterating))
        let loop = try await told(agent, link)
        #expect(await agent.attempt(try candidate(["title": "t"])) == .accepted)
        loop.cancel()
        #expect(await loop.next() == nil)
        #expect(await agent.attempt(try candidate(["title": "t"])) == .untried(.notIterating))
    }

    /// A loop that is busy is not waited for without end, and what nobody waits for any more is not decoded.
    @Test func aBusyLoopTriesNothingAfterwards() async throws {
        let agent = try TestAgent()
        try agent.start()
        agent.tell(try propertyList(["title": "real"]))
        let (going, go) = AsyncStream.makeStream(of: Void.self)
        let link = agent.link()
        let loop = Loop<String> { receive in
            for await value in await ManagedAppConfigurationProvider(link: link).configurations(Counted.self) {
                receive(value?.title ?? "nil")
                for await _ in going { break }
            }
        }
        #expect(await loop.next() == "real")
        #expect(await agent.attempt(try candidate(["title": "tried"]), within: 1) == .untried(.timedOut))
        let next = try propertyList(["title": "next"])
        agent.tell(next)
        try await eventually("the app has heard of what came after the trial") {
            link.news.version == AppState.version(of: next)
        }
        // It counts the trial's second from when it heard of it, which was before this.
        try await Task.sleep(for: .milliseconds(1_500))
        go.yield()
        #expect(await loop.next() == "next")
        #expect(Counted.seen.withLock { $0 } == ["real", "next"])
    }

    /// However many trials do not end, real configurations are decoded.
    @Test func trialsThatNeverEndTakeNothingFromRealConfigurations() async throws {
        struct Spinning: Decodable, Sendable {
            enum Key: CodingKey { case title, spin }
            init(from decoder: any Decoder) throws {
                let values = try decoder.container(keyedBy: Key.self)
                while values.contains(.spin), !Released.all.withLock({ $0 }) { Thread.sleep(forTimeInterval: 0.01) }
            }
        }
        Released.all.withLock { $0 = false }
        // Those that are given up count for the whole process: others may try again when they have ended.
        defer { Released.all.withLock { $0 = true } }
        let agent = try TestAgent()
        try agent.start()
        // A busy machine may be too slow for one, but not for each.
        func isDecoded(_ title: String) async throws -> Bool {
            for number in 0..<100 {
                agent.tell(try propertyList(["title": "\(title) \(number)"]))
                if await agent.nextReport()?.valid == true { return true }
            }
            return false
        }
        let link = agent.link()
        let decoding = TimedDecoding(limit: .milliseconds(500), abandoned: AbandonedThreads())
        let loop = Loop<Spinning?>.over(Spinning.self, link, decoding: decoding)
        #expect(try await isDecoded("real"))
        for _ in 0..<10 {
            guard case .refused(let refusal) = await agent.attempt(try candidate(["spin": ""])) else {
                return #expect(Bool(false))
            }
            #expect(refusal.code == ManagedAppConfigurationDecodingErrorCode.timeout)
        }
        #expect(try await isDecoded("next"))
        Released.all.withLock { $0 = true }
        try await eventually("what is tried is tried again") {
            await agent.attempt(try candidate(["title": "t"])) == .accepted
        }
        loop.cancel()
    }

    /// The app's configuration is not there at all, and it tries nevertheless.
    @Test func anAppWithoutAConfigurationTriesToo() async throws {
        let agent = try TestAgent()
        try agent.start(AppState(managed: true, synchronised: true))
        let loop = Loop<Titled?>.over(Titled.self, agent.link())
        #expect(await loop.next() == .some(nil))
        #expect(await agent.attempt(try candidate(["title": "t"])) == .accepted)
        agent.tell(AppState(managed: false, synchronised: true))
        #expect(await agent.attempt(try candidate(["title": "t"])) == .untried(.notManaged))
    }
}

/// Decodable on the main actor alone, as all is in a module whose default that is.
@MainActor private struct Isolated: @MainActor Decodable {
    let title: String
}

/// Lets go of the decoders that do not end by themselves.
private enum Released {
    static let all = Mutex(false)
}

/// Remembers what was decoded.
private struct Counted: Decodable, Sendable {
    static let seen = Mutex<[String]>([])
    let title: String

    private enum CodingKeys: CodingKey { case title }

    init(from decoder: any Decoder) throws {
        let title = try decoder.container(keyedBy: CodingKeys.self).decode(String.self, forKey: .title)
        self.title = title
        Self.seen.withLock { $0.append(title) }
    }
}
