import AppMessages
import Foundation
import ManagedApp
import PlayedAgent
import Testing
import Waiting

/// Looking secrets up and following their identifiers; one suite for the three kinds.
@Suite(.timeLimit(.minutes(10)))
struct SecretTests {
    /// A kind of secret, as a test uses it without knowing which it is.
    struct Kind: CustomTestStringConvertible, Sendable {
        let kind: SecretKind
        let method: String
        let set: @Sendable (inout PlayedAgent.Secrets, _ identifier: String, _ version: Int) -> Void
        let remove: @Sendable (inout PlayedAgent.Secrets, _ identifier: String) -> Void
        let look: @Sendable (AgentLink, _ identifier: String) async throws(ManagedAppError) -> String
        let expected: @Sendable (_ version: Int) -> String
        let follow: @Sendable (AgentLink) -> Loop<[String]>

        var testDescription: String { kind.rawValue }
    }

    static let kinds: [Kind] = [password, certificate, identity]

    private static let password = Kind(
        kind: .password, method: "GetPassword",
        set: { $0.passwords[$1] = "secret \($2)" }, remove: { $0.passwords[$1] = nil },
        look: { link, identifier async throws(ManagedAppError) in
            try await ManagedAppPasswordsProvider(link: link).password(withIdentifier: identifier)
        },
        expected: { "secret \($0)" },
        follow: { link in
            Loop { receive in
                for await names in await ManagedAppPasswordsProvider(link: link).identifiers { receive(names) }
            }
        })

    private static let authorities = (0..<3).map { number in Result { try TestAuthority("Authority \(number)") } }

    private static let certificate = Kind(
        kind: .certificate, method: "GetCertificate",
        set: { $0.certificates[$1] = try? authorities[$2].get().der() }, remove: { $0.certificates[$1] = nil },
        look: { link, identifier async throws(ManagedAppError) in
            let certificate = try await ManagedAppCertificatesProvider(link: link)
                .certificate(withIdentifier: identifier)
            return SecCertificateCopySubjectSummary(certificate) ?? ""
        },
        expected: { "Authority \($0)" },
        follow: { link in
            Loop { receive in
                for await names in await ManagedAppCertificatesProvider(link: link).identifiers { receive(names) }
            }
        })

    private static let identities = (0..<3).map { number in
        Result { try PlayedIdentity("Device \(number)", by: TestAuthority("Authority")) }
    }

    private static let identity = Kind(
        kind: .identity, method: "GetIdentity",
        set: { $0.identities[$1] = try? identities[$2].get() }, remove: { $0.identities[$1] = nil },
        look: { link, identifier async throws(ManagedAppError) in
            let identity = try await ManagedAppIdentitiesProvider(link: link).identity(withIdentifier: identifier)
            return identity.certificateChain.first.flatMap(SecCertificateCopySubjectSummary) ?? ""
        },
        expected: { "Device \($0)" },
        follow: { link in
            Loop { receive in
                for await names in await ManagedAppIdentitiesProvider(link: link).identifiers { receive(names) }
            }
        })

    /// Connections outlive a call for a moment: bursts that follow one another find them there.
    @Test func manyCallsAtOnceGoOverAFewConnectionsAgainAndAgain() async throws {
        let agent = try PlayedAgent()
        try agent.start()
        agent.change { secrets in
            secrets.passwords["p"] = "secret 1"
            // Nobody has answered before all have asked.
            secrets.delays["p"] = 0.02
        }
        let link = agent.link()
        let (kind, atOnce) = (Self.password, 12)
        for _ in 0..<20 {
            try await withThrowingTaskGroup(of: String.self) { group in
                for _ in 0..<atOnce { group.addTask { try await kind.look(link, "p") } }
                for try await secret in group { #expect(secret == "secret 1") }
            }
        }
        // Of as many calls; on a busy machine some bursts come when the connections of the one before have gone.
        #expect(agent.connectionsMade <= 20 * atOnce / 2)
    }

    /// S4-SECRET-01, S4-SECRET-02: the identifier finds the secret, another one finds nothing.
    @Test(arguments: kinds) func anIdentifierFindsItsSecretAndNoOther(kind: Kind) async throws {
        let agent = try PlayedAgent()
        try agent.start()
        agent.change { kind.set(&$0, "User: ü", 1) }
        let link = agent.link()
        #expect(try await kind.look(link, "User: ü") == kind.expected(1))
        await #expect(throws: ManagedAppError.invalidIdentifier) { try await kind.look(link, "user: ü") }
        await #expect(throws: ManagedAppError.invalidIdentifier) { try await kind.look(link, "") }
        await #expect(throws: ManagedAppError.invalidIdentifier) {
            try await kind.look(link, String(repeating: "i", count: 200_000))
        }
        #expect(try await kind.look(link, "User: ü") == kind.expected(1))
    }

    /// S4-BP-03: every look-up asks the agent; what was replaced is never delivered again.
    @Test(arguments: kinds) func everyLookUpAsksAnew(kind: Kind) async throws {
        let agent = try PlayedAgent()
        try agent.start()
        let link = agent.link()
        for version in 0..<3 {
            agent.change { kind.set(&$0, "a", version) }
            #expect(try await kind.look(link, "a") == kind.expected(version))
            #expect(try await kind.look(link, "a") == kind.expected(version))
        }
        #expect(agent.calls == Array(repeating: kind.method, count: 6))
        agent.change { kind.remove(&$0, "a") }
        await #expect(throws: ManagedAppError.invalidIdentifier) { try await kind.look(link, "a") }
    }

    /// S4-SECRET-04, S4-SECRET-05: at once, when the list changes, and when only a value does.
    @Test(arguments: kinds) func identifiersComeAtOnceAndAfterEachChange(kind: Kind) async throws {
        let agent = try PlayedAgent()
        try agent.start()
        agent.change { secrets in
            for identifier in ["a", "b", "c"] { kind.set(&secrets, identifier, 0) }
            for other in Self.kinds where other.kind != kind.kind { other.set(&secrets, "other", 0) }
        }
        let link = agent.link()
        let loop = kind.follow(link)
        #expect(await loop.next() == ["a", "b", "c"])
        agent.change(kind.kind) { kind.set(&$0, "d", 0) }
        #expect(await loop.next() == ["a", "b", "c", "d"])
        // Only a value: the same list again, and the look-up has the new one.
        agent.change(kind.kind) { kind.set(&$0, "b", 1) }
        #expect(await loop.next() == ["a", "b", "c", "d"])
        #expect(try await kind.look(link, "b") == kind.expected(1))
        agent.change(kind.kind) { secrets in
            for identifier in ["a", "b", "c", "d"] { kind.remove(&secrets, identifier) }
        }
        #expect(await loop.next() == [])
        // A second iteration has its own place and begins with what is there.
        agent.change(kind.kind) { kind.set(&$0, "e", 0) }
        #expect(await loop.next() == ["e"])
        let another = kind.follow(link)
        #expect(await another.next() == ["e"])
        loop.cancel()
        #expect(await loop.next() == nil)
    }

    /// S4-SECRET-06: an app whose identifiers are a list of the administrator's opens each of them.
    @Test func anAppWithAListOfAccountsOpensEach() async throws {
        let agent = try PlayedAgent()
        try agent.start()
        let link = agent.link()
        let opened = Loop<[String]> { receive in
            let provider = ManagedAppPasswordsProvider(link: link)
            for await identifiers in await provider.identifiers {
                var passwords: [String] = []
                for identifier in identifiers where identifier.hasPrefix("account-") {
                    // One that is withdrawn in between is not there any more.
                    if let password = try? await provider.password(withIdentifier: identifier) {
                        passwords.append("\(identifier)=\(password)")
                    }
                }
                receive(passwords)
            }
        }
        #expect(await opened.next() == [])
        agent.change(.password) { $0.passwords = ["account-1": "one", "wifi": "none of this app's"] }
        #expect(await opened.next() == ["account-1=one"])
        agent.change(.password) { $0.passwords["account-2"] = "two" }
        #expect(await opened.next() == ["account-1=one", "account-2=two"])
    }

    /// S4-API-02: a password is text, whatever the text.
    @Test(arguments: ["", "pass word", "🗝️ ключ", "\"\\/\u{8}\u{c}\n\r\t\u{1}", String(repeating: "x", count: 1_024)])
    func aPasswordArrivesAsItIs(password: String) async throws {
        let agent = try PlayedAgent()
        try agent.start()
        agent.change { $0.passwords["p"] = password }
        let found = try await ManagedAppPasswordsProvider(link: agent.link()).password(withIdentifier: "p")
        #expect(Array(found.utf8) == Array(password.utf8))
    }

    /// Each of the three errors, and what else an agent might say.
    @Test(
        arguments: kinds,
        [
            (VarlinkError.invalidIdentifier, ManagedAppError.invalidIdentifier),
            (.permissionDenied, .invalidIdentifier),
            (.serverError, .serverError), (.internalError, .internalError),
            (.methodNotFound("GetPassword"), .internalError), (.expectedMore, .internalError),
        ])
    func refusalsAreTheThreeThatAnAppKnows(kind: Kind, refusal: (VarlinkError, ManagedAppError)) async throws {
        let agent = try PlayedAgent()
        try agent.start()
        agent.change {
            kind.set(&$0, "a", 0)
            $0.failures["a"] = refusal.0
        }
        let link = agent.link()
        await #expect(throws: refusal.1) { try await kind.look(link, "a") }
        agent.change { $0.failures = [:] }
        #expect(try await kind.look(link, "a") == kind.expected(0))
    }

    /// A process that no agent started gets no secrets, and learns that at once.
    @Test(arguments: kinds) func aProcessThatNobodyStartedHasNoSecrets(kind: Kind) async throws {
        let link = AgentLink(origin: AgentLink.Origin(socket: nil, path: nil))
        #expect(await kind.follow(link).next() == [])
        await #expect(throws: ManagedAppError.invalidIdentifier) { try await kind.look(link, "a") }
        // Nor has one that the agent does not know.
        let agent = try PlayedAgent()
        try agent.start(refusing: true)
        agent.change { kind.set(&$0, "a", 0) }
        #expect(await kind.follow(agent.link()).next() == [])
        await #expect(throws: ManagedAppError.invalidIdentifier) { try await kind.look(agent.link(), "a") }
    }

    /// An agent that is away: nothing at first, everything when it comes, and the last word while it is gone again.
    @Test(arguments: kinds) func anAgentThatComesLateOrGoesIsFoundAgain(kind: Kind) async throws {
        let agent = try PlayedAgent()
        agent.change { kind.set(&$0, "a", 0) }
        let link = agent.link(patience: .milliseconds(20))
        let loop = kind.follow(link)
        #expect(await loop.next() == [])
        await #expect(throws: ManagedAppError.internalError) { try await kind.look(link, "a") }
        try agent.start()
        #expect(await loop.next() == ["a"])
        #expect(try await kind.look(link, "a") == kind.expected(0))
        agent.stop()
        await #expect(throws: ManagedAppError.internalError) { try await kind.look(link, "a") }
        // What changed meanwhile nobody told: the identifiers come again.
        agent.change { kind.set(&$0, "a", 1) }
        try agent.start()
        #expect(await loop.next() == ["a"])
        #expect(try await kind.look(link, "a") == kind.expected(1))
        // Gone and back again between two look-ups: the connection that was kept is of no use, and nobody notices.
        agent.stop()
        try agent.start()
        #expect(try await kind.look(link, "a") == kind.expected(1))
    }

    /// An answer that takes longer than a caller's thread may be kept comes all the same, and holds up no other.
    @Test(arguments: kinds) func aSlowAnswerIsAskedForOnceAndHoldsUpNobody(kind: Kind) async throws {
        let agent = try PlayedAgent()
        try agent.start()
        agent.change { secrets in
            kind.set(&secrets, "slow", 0)
            kind.set(&secrets, "a", 1)
            secrets.held = ["slow"]
        }
        defer { agent.change { $0.held = [] } }
        let link = agent.link()
        let slow = Task { try await kind.look(link, "slow") }
        try await eventually("the agent is asked") { !agent.calls.isEmpty }
        // Past the moment in which its own thread waits; later is as good.
        try await Task.sleep(for: .milliseconds(50))
        #expect(try await kind.look(link, "a") == kind.expected(1))
        agent.change { $0.held = [] }
        #expect(try await slow.value == kind.expected(0))
        #expect(agent.calls == [kind.method, kind.method])
        // Neither was given the other's answer, and the connections serve on.
        #expect(try await kind.look(link, "a") == kind.expected(1))
    }

    /// The app does not wait for an agent that ends before it answers.
    @Test func anAgentThatGoesWhileItOwesAnAnswerIsNotWaitedFor() async throws {
        let agent = try PlayedAgent()
        try agent.start()
        agent.change { secrets in
            secrets.passwords["slow"] = "slow"
            secrets.held = ["slow"]
        }
        defer { agent.change { $0.held = [] } }
        let link = agent.link()
        // An agent that is there is waited for a minute. A busy machine may take as long once, but not each time.
        var taken: [Duration] = []
        for _ in 0..<3 where taken.allSatisfy({ $0 >= .seconds(40) }) {
            let before = agent.calls.count
            let slow = Task { try await ManagedAppPasswordsProvider(link: link).password(withIdentifier: "slow") }
            try await eventually("the agent is asked") { agent.calls.count > before }
            // Past the moment in which its own thread waits; later is as good.
            try await Task.sleep(for: .milliseconds(50))
            let begun = ContinuousClock.now
            agent.stop()
            await #expect(throws: ManagedAppError.internalError) { try await slow.value }
            taken.append(ContinuousClock.now - begun)
            try agent.start()
        }
        #expect(taken.contains { $0 < .seconds(40) }, "\(taken)")
        agent.change { $0.held = [] }
        #expect(try await ManagedAppPasswordsProvider(link: link).password(withIdentifier: "slow") == "slow")
    }

    /// Many at once: none waits forever, none gets another's answer.
    @Test func aHundredLookUpsAtOnceGetTheirOwnAnswers() async throws {
        let agent = try PlayedAgent()
        try agent.start()
        agent.change { for number in 0..<100 { $0.passwords["\(number)"] = "password \(number)" } }
        let link = agent.link()
        await withTaskGroup(of: Bool.self) { group in
            for number in 0..<100 {
                group.addTask {
                    let provider = ManagedAppPasswordsProvider(link: link)
                    return (try? await provider.password(withIdentifier: "\(number)")) == "password \(number)"
                }
            }
            for await isRight in group { #expect(isRight) }
        }
    }

    /// An invalid certificate is not delivered, so an app that pins to it fails.
    @Test(arguments: [Data(), Data("garbage".utf8), Data([0x30, 0x03, 0x02, 0x01, 0x00]), Data(count: 60_000)])
    func whatIsNoCertificateIsNotDelivered(bytes: Data) async throws {
        let agent = try PlayedAgent()
        try agent.start()
        agent.change { $0.certificates["c"] = bytes }
        let provider = ManagedAppCertificatesProvider(link: agent.link())
        await #expect(throws: ManagedAppError.internalError) { try await provider.certificate(withIdentifier: "c") }
        #expect(SecCertificateCreateWithData(nil, bytes) == nil)
    }
}
