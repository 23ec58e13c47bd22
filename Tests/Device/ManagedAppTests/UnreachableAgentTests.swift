import AppMessages
import CLinux
import DeviceAgent
import Foundation
import ManagedApp
import Synchronization
import Testing

/// What an app gets while its agent does not answer.
@Suite(.timeLimit(.minutes(10)))
struct UnreachableAgentTests {
    struct Titled: Codable, Equatable {
        var title: String
    }

    /// Started by nobody: not managed, at once.
    @Test func anAppThatNoAgentLaunchedGetsNilAtOnce() async {
        let link = AgentLink(origin: AgentLink.Origin(socket: nil, path: nil, patience: .seconds(3_600)))
        #expect(await Loop<Titled?>.over(Titled.self, link).next() == .some(nil))
        #expect(await ManagedAppStatus.of(link).configuration == .notManaged)
    }

    /// S4-API-24: no agent at the start: nil after the link's patience, the value when the agent comes.
    @Test func aValueArrivesWhenTheAgentComesLater() async throws {
        let agent = try TestAgent()
        let link = agent.link(patience: .milliseconds(50))
        let loop = Loop<Titled?>.over(Titled.self, link)
        #expect(await loop.next() == .some(nil))
        #expect(await ManagedAppStatus.of(link).configuration == .agentUnreachable)
        try agent.start()
        agent.tell(try propertyList(Titled(title: "late")))
        #expect(await loop.next() == .some(Titled(title: "late")))
    }

    /// D6: an agent that starts later is waited for as long as the link's patience says.
    ///
    /// How long that is for an app follows below.
    @Test func theFirstValueIsTheRightOneWhereTheAgentStartsALittleLater() async throws {
        let agent = try TestAgent()
        let loop = Loop<Titled?>.over(Titled.self, agent.link(patience: .seconds(3_600)))
        // Meanwhile one that began later, and knows nothing of an agent, has waited in vain.
        let other = AgentLink(origin: AgentLink.Origin(inherited: nil, path: agent.path))
        #expect(await Loop<Titled?>.over(Titled.self, other).next() == .some(nil))
        try agent.start()
        agent.tell(try propertyList(Titled(title: "in time")))
        #expect(await loop.next() == .some(Titled(title: "in time")))
    }

    /// D6: how long that is follows from what shows that there is an agent.
    @Test func anAppWaitsOnlyWhereThereCanBeAnAgent() async throws {
        let agent = try TestAgent()
        func patience(_ socket: Int32?, _ path: String?) -> Duration {
            AgentLink.Origin(inherited: socket, path: path).patience
        }
        #expect(patience(nil, agent.path) == .seconds(2))
        #expect(patience(3, agent.path) == .seconds(5) && patience(3, nil) == .seconds(5))
        try FileManager.default.createDirectory(
            at: agent.directory.appending(path: "generations"), withIntermediateDirectories: false)
        // What it has kept shows that there is one.
        #expect(patience(nil, agent.path) == .seconds(5))
        // Nobody can ever have listened there.
        let nowhere = AgentLink.Origin(inherited: nil, path: agent.directory.path + "/nowhere/app.socket")
        #expect(await Loop<Titled?>.over(Titled.self, AgentLink(origin: nowhere)).next() == .some(nil))
        #expect(nowhere.patience == .zero)
    }

    /// S4-API-21, S4-API-24: an agent that holds the connection and says nothing, as a stopped one does.
    ///
    /// The main actor goes on while its loop waits without a limit; one that was held up would never get to the end.
    @Test @MainActor func aSilentAgentDoesNotHoldUpTheMainActor() async throws {
        let silent = try SilentAgent(patience: .seconds(3_600))
        var received: [Titled?] = []
        let loop = Task { @MainActor in
            for await value in await ManagedAppConfigurationProvider(link: silent.link).configurations(Titled.self) {
                received.append(value)
                break
            }
        }
        // Nothing is to come in this time: a slow machine makes none of it.
        for _ in 0..<100 { try await Task.sleep(for: .milliseconds(1)) }
        #expect(received.isEmpty)
        try silent.say(Titled(title: "spoken"))
        await loop.value
        #expect(received == [Titled(title: "spoken")])
    }

    /// S4-API-24: nil when a silent agent's time is up, and the value once it speaks on the same connection.
    @Test func aSilentAgentsValueArrivesAfterNil() async throws {
        let silent = try SilentAgent(patience: .milliseconds(50))
        let loop = Loop<Titled?>.over(Titled.self, silent.link)
        #expect(await loop.next() == .some(nil))
        try silent.say(Titled(title: "spoken"))
        #expect(await loop.next() == .some(Titled(title: "spoken")))
    }

    /// An agent that knows nothing of this process: not managed, at once.
    @Test func aProcessThatTheAgentDoesNotKnowGetsNilAtOnce() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "martlet-\(UUID().uuidString)")
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory) }
        let path = directory.appending(path: "apps.sock").path
        let service = AppService(
            socketPath: path, controlPath: directory.appending(path: "control.sock").path,
            records: LaunchRecordsFile(path: directory.appending(path: "launches.json").path), log: quiet,
            find: { _ in nil }, report: { _ in })
        try service.start()
        defer { service.stop() }
        service.update([:], others: AppState(managed: true, synchronised: true, configuration: Data("secret".utf8)))
        let link = AgentLink(origin: AgentLink.Origin(socket: nil, path: path, patience: .seconds(3_600)))
        #expect(await Loop<Titled?>.over(Titled.self, link).next() == .some(nil))
        #expect(await ManagedAppStatus.of(link).configuration == .notManaged)
    }

    /// A path of any length: a socket's own address holds no more than 107 bytes.
    @Test func findsTheAgentAtALongPath() async throws {
        let directory = FileManager.default.temporaryDirectory
            .appending(path: "martlet-\(UUID().uuidString)/" + String(repeating: "d", count: 120))
        try FileManager.default.createDirectory(at: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(at: directory.deletingLastPathComponent()) }
        let listener = unsafe clinux_listen(directory.appending(path: "s").path, 0o600)
        #expect(listener >= 0)
        defer { close(listener) }
        let socket = unsafe clinux_connect(directory.appending(path: "s").path)
        #expect(socket >= 0)
        close(socket)
    }
}

/// An agent that holds its end of the inherited connection and sends only what the test gives it.
private final class SilentAgent: Sendable {
    let link: AgentLink
    private let socket: Int32

    init(patience: Duration) throws {
        var ours: Int32 = -1
        var theirs: Int32 = -1
        try #require(unsafe clinux_socket_pair(&ours, &theirs) == 0)
        socket = ours
        link = AgentLink(origin: AgentLink.Origin(socket: theirs, path: nil, patience: patience))
    }

    deinit {
        close(socket)
    }

    func say(_ value: some Encodable) throws {
        let state = ConfigurationState(
            managed: true, synchronised: true, stale: false, version: String(repeating: "0", count: 64),
            configuration: try propertyList(value), generation: 1)
        let message = Varlink.reply(state, continues: true)
        let result = unsafe message.withUnsafeBytes { bytes in
            unsafe bytes.baseAddress.map { unsafe clinux_send_all(socket, $0, bytes.count, 240_000) }
        }
        try #require(result == 0)
    }
}
