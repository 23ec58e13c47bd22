import AppMessages
import DeviceAgent
import Foundation
import ManagedApp
import Testing

/// What goes back to the agent, and what the app can learn beside its configuration.
@Suite(.timeLimit(.minutes(10)))
struct ReportAndStatusTests {
    struct Titled: Codable, Equatable {
        var title: String
    }

    @Test func anAcceptedConfigurationIsReported() async throws {
        let agent = try TestAgent()
        try agent.start()
        let list = try propertyList(Titled(title: "fine"))
        agent.tell(list)
        let loop = Loop<Titled?>.over(Titled.self, agent.link())
        #expect(await loop.next() == .some(Titled(title: "fine")))
        let report = try #require(await agent.nextReport())
        #expect(report.valid && report.code == nil && report.version == AppState.version(of: list))
        #expect(report.bundleIdentifier == TestAgent.app)
    }

    /// S4-API-07: code, message and key path of a refusal reach the agent.
    @Test func aRefusalIsReportedWithItsCodeAndPlace() async throws {
        struct Refusing: Decodable, Sendable {
            enum Key: CodingKey { case a }
            init(from decoder: any Decoder) throws {
                _ = try decoder.container(keyedBy: Key.self).decode(Int.self, forKey: .a)
                throw try OwnError(42)
            }
        }
        let agent = try TestAgent()
        try agent.start()
        agent.tell(try propertyList(["a": 1]))
        let link = agent.link()
        #expect(await Loop<Refusing?>.over(Refusing.self, link).next() != nil)
        let report = try #require(await agent.nextReport())
        #expect(!report.valid && report.code == 42 && report.message == "own")
        #expect(report.keyPath == "a" && report.keyPathSupplied)
        guard case .refused(let refusal) = await ManagedAppStatus.of(link).configuration else {
            Issue.record("the status does not say that the configuration was refused")
            return
        }
        #expect(refusal.code == 42 && refusal.message == "own" && refusal.keyPath == "a")
    }

    /// The agent forgets the reports about a configuration that is withdrawn.
    @Test func aConfigurationThatComesBackIsReportedAgain() async throws {
        let agent = try TestAgent()
        try agent.start()
        let list = try propertyList(Titled(title: "back"))
        agent.tell(list)
        let loop = Loop<Titled?>.over(Titled.self, agent.link())
        #expect(await loop.next() == .some(Titled(title: "back")))
        #expect(await agent.nextReport()?.valid == true)
        agent.tell(nil as AppState?)
        #expect(await loop.next() == .some(nil))
        agent.tell(list)
        #expect(await loop.next() == .some(Titled(title: "back")))
        let again = try #require(await agent.nextReport())
        #expect(again.valid && again.version == AppState.version(of: list))
    }

    @Test func aRestartedAgentHearsTheReportAgain() async throws {
        let agent = try TestAgent()
        try agent.start()
        let list = try propertyList(Titled(title: "kept"))
        agent.tell(list)
        let loop = Loop<Titled?>.over(Titled.self, agent.link())
        #expect(await loop.next() != nil)
        #expect(await agent.nextReport()?.valid == true)
        agent.stop()
        try agent.start()
        agent.tell(list)
        let again = try #require(await agent.nextReport())
        #expect(again.valid && again.version == AppState.version(of: list))
    }

    @Test func theStatusSaysWhyThereIsNothing() async throws {
        let agent = try TestAgent()
        try agent.start(AppState(managed: true, synchronised: false, stale: true))
        let link = agent.link()
        var status = await ManagedAppStatus.of(link)
        #expect(status.configuration == .notConfigured && !status.hasSynchronised && status.isStale)
        #expect(status.isAgentReachable)

        var updates = ManagedAppStatusSequence(link: link).makeAsyncIterator()
        #expect(await updates.next() == status)
        agent.tell(try propertyList(Titled(title: "t")))
        status = try #require(await updates.next())
        #expect(status.configuration == .available && status.hasSynchronised && !status.isStale)
        agent.stop()
        status = try #require(await updates.next())
        #expect(status.configuration == .available && !status.isAgentReachable)
    }

    /// D7: what the agent of a test launches shares its user, so that it is not given what is for launched apps alone.
    @Test func theStatusSaysThatSecretsAreWithheld() async throws {
        let agent = try TestAgent()
        let secrets = AppSecrets([.init(.password, "a", digest: "d")])
        try agent.start(AppState(managed: true, synchronised: true, secrets: secrets))
        let link = agent.link()
        #expect(await ManagedAppStatus.of(link).secretsAreWithheld)
        await #expect(throws: ManagedAppError.internalError) {
            try await ManagedAppPasswordsProvider(link: link).password(withIdentifier: "a")
        }
        agent.tell(AppState(managed: true, synchronised: true))
        await #expect(throws: ManagedAppError.invalidIdentifier) {
            try await ManagedAppPasswordsProvider(link: link).password(withIdentifier: "a")
        }
        #expect(await ManagedAppStatus.of(agent.link()).secretsAreWithheld == false)
    }

    // MARK: secrets, as for an app to which nothing is provisioned

    @Test func noSecretIsProvisioned() async throws {
        let agent = try TestAgent()
        try agent.start(AppState(managed: true, synchronised: true))
        let link = agent.link()
        await #expect(throws: ManagedAppError.invalidIdentifier) {
            try await ManagedAppPasswordsProvider(link: link).password(withIdentifier: "a")
        }
        await #expect(throws: ManagedAppError.invalidIdentifier) {
            _ = try await ManagedAppCertificatesProvider(link: link).certificate(withIdentifier: "a")
        }
        await #expect(throws: ManagedAppError.invalidIdentifier) {
            _ = try await ManagedAppIdentitiesProvider(link: link).identity(withIdentifier: "a")
        }
    }

    @Test func aSecretThatCannotBeAskedForIsAnInternalError() async throws {
        let agent = try TestAgent()
        let link = agent.link()
        await #expect(throws: ManagedAppError.internalError) {
            try await ManagedAppPasswordsProvider(link: link).password(withIdentifier: "a")
        }
        let alone = AgentLink(origin: AgentLink.Origin(socket: nil, path: nil))
        await #expect(throws: ManagedAppError.invalidIdentifier) {
            try await ManagedAppPasswordsProvider(link: alone).password(withIdentifier: "a")
        }
    }

    @Test func identifiersBeginEmptyAndStayUntilCancelled() async throws {
        let loop = Loop<[String]> { receive in
            for await identifiers in await ManagedAppPasswordsProvider().identifiers { receive(identifiers) }
        }
        #expect(await loop.next() == [])
        loop.cancel()
        #expect(await loop.next() == nil)
    }
}
