import DeviceMessages
import Foundation
import TestLog
import Testing
import Waiting

@testable import DeviceAgent

/// A server that cannot be reached: the log says so once, and once that it is back, however often the agent tries.
@Suite(.timeLimit(.minutes(10)))
struct ServerContactTests {
    private static let moment = Date(timeIntervalSince1970: 1_764_000_000)

    private static func warnings(_ log: LogLines) -> [String] { log.all.filter { $0.contains("is out of contact") } }

    /// An absence begins with the first failure, keeps the reason of the last one, and ends with the road that began it.
    @Test func anAbsenceBeginsOnceAndEndsOnce() {
        var record = ContactRecord()
        let begins = record.failed(.conversation, "one", at: Self.moment)
        #expect(begins)
        let beginsAgain = record.failed(.conversation, "two", at: Self.moment + 60)
        #expect(!beginsAgain)
        #expect(record.absence?.since == Self.moment)
        #expect(record.absence?.reason == "two")
        let byStream = record.answered(.wakeStream)
        #expect(byStream == nil, "the conversation still fails")
        let byConversation = record.answered(.conversation)
        #expect(byConversation == Self.moment)
        #expect(record.absence == nil)
        let later = record.answered(.conversation)
        #expect(later == nil, "it has ended already")
    }

    /// The device is in contact by requests: that its stream never opens is no absence over and over.
    @Test func aStreamThatAloneFailsIsExcusedUntilItOpens() {
        var record = ContactRecord()
        let neverOpen = record.failed(.wakeStream, "none", at: Self.moment - 1)
        #expect(!neverOpen)
        let opened = record.answered(.wakeStream)
        #expect(opened == nil)
        let begins = record.failed(.wakeStream, "one", at: Self.moment)
        #expect(begins)
        let since = record.answered(.conversation)
        #expect(since == Self.moment)
        let excused = record.failed(.wakeStream, "two", at: Self.moment + 1)
        #expect(!excused)
        #expect(record.absence == nil)
        let nothing = record.answered(.wakeStream)
        #expect(nothing == nil)
        let beginsAnew = record.failed(.wakeStream, "three", at: Self.moment + 2)
        #expect(beginsAnew, "it was open in between")
    }

    @Test(arguments: [
        (-5.0, "0 s"), (0.4, "0 s"), (59.0, "59 s"), (60.0, "1 min"), (725.0, "12 min 5 s"), (7_205.0, "2 h"),
        (90_061.0, "1 d 1 h"),
    ])
    func aTimeIsSaidByItsTwoLargestParts(_ interval: TimeInterval, _ said: String) {
        #expect(ServerContact.span(interval) == said)
    }

    /// A server that says when to come again is there; one that a proxy answers for is not.
    @Test func onlyAnAnswerThatCanBeWorkedWithIsContact() {
        #expect(ServerContact.reason(of: ServerSilence.refused) == ServerSilence.refused.explanation)
        #expect(ServerContact.reason(of: ServerRefusal.status(502)) == "the server answered 502")
        #expect(ServerContact.reason(of: ServerRefusal.busy(Busy())) != nil)
        #expect(ServerContact.reason(of: ServerRefusal.busy(Busy(retryAfter: .seconds(30)))) == nil)
        #expect(ServerContact.reason(of: ServerRefusal.status(400)) == nil)
        #expect(ServerContact.reason(of: StoreRefusal.noWholeGeneration) == nil, "the disk is not the server")
    }

    @Test func theLogSaysOnceThatTheServerIsGoneAndOnceThatItIsBack() async throws {
        try await EnrolledDevice.run { fixture in
            try await fixture.serves(1)
            #expect(Self.warnings(fixture.log).isEmpty)
            fixture.management.publish(2) { $0 == "command" ? .reply(502) : nil }
            fixture.doorbell.ring(.commands)
            try await fixture.eventually("it tries several times") {
                fixture.log.all.count { $0.contains("did not answer as it should") } > 3
            }
            let warnings = Self.warnings(fixture.log)
            #expect(warnings.count == 1)
            let warning = try #require(warnings.first)
            for part in [
                "warning ", "the agent goes on trying", "server=\(fixture.server.url) ", "why=the server answered 502",
                "next=",
            ] {
                #expect(warning.contains(part), "\(warning)")
            }
            #expect(fixture.device.contact.absence?.server == fixture.server.url)
            #expect(fixture.device.contact.absence?.reason == "the server answered 502")
            fixture.management.publish(2)
            try await fixture.eventually("it is back") {
                fixture.log.say("notice ", "in contact with its server again", "after=")
            }
            #expect(fixture.device.contact.absence == nil)
            #expect(Self.warnings(fixture.log).count == 1)
        }
    }

    /// A device that something between keeps from its stream is in contact by its requests.
    @Test func aWakeStreamThatNeverOpensIsNoAbsence() async throws {
        try await EnrolledDevice.run(wake: true, fault: { $0 == "wake" ? .reply(502) : nil }) { fixture in
            let tried = fixture.management.asked.count { $0 == "wake" }
            try await fixture.eventually("the stream is tried on") {
                fixture.management.asked.count { $0 == "wake" } > tried + 3
            }
            #expect(Self.warnings(fixture.log).isEmpty)
            #expect(fixture.device.contact.absence == nil)
        }
    }

    /// A reason of the device's own, such as an app that was opened, need not lead to a request.
    @Test func aConversationThatAsksNothingIsNoContact() async throws {
        let management = PlayedManagement()
        try await ScriptedServer.run({ management.answer($0) }) { server in
            management.listens(at: server.url)
            management.publish(1)
            let fixture = try EnrolledDevice(server, management, wake: false, signs: false, tpm: nil, apps: [])
            var session = try Self.session(of: fixture)
            _ = await session.attend([.commands, .look, .status])
            let first = session.contact
            #expect(first == Session.Contact.made)
            let heard = try #require(fixture.device.known.lastContact)

            management.publish(1) { _ in .reply(502) }
            fixture.clock.advance(days: 0.5)
            let asked = management.asked.count
            let end = await session.attend(.status)
            #expect(end == Session.End.rested)
            #expect(management.asked.count == asked, "there is nothing to report")
            let local = session.contact
            #expect(local == nil)
            #expect(fixture.device.known.lastContact == heard)

            // Of an agent that was started again the server has to be told everything.
            var restarted = try Self.session(of: fixture)
            _ = await restarted.attend(.status)
            let report = restarted.contact
            #expect(report == Session.Contact.failed("the server answered 502"))
            #expect(fixture.device.known.lastContact == heard)

            management.publish(1)
            _ = await restarted.attend(.status)
            let later = restarted.contact
            #expect(later == Session.Contact.made)
            #expect(fixture.device.known.lastContact != heard)
        }
    }

    /// Nothing that a person does at the device says that they have signed in at the server.
    @Test func aConversationThatAsksNothingEndsNoSignIn() async throws {
        let management = PlayedManagement()
        try await ScriptedServer.run({ management.answer($0) }) { server in
            management.listens(at: server.url)
            management.publish(1)
            let fixture = try EnrolledDevice(server, management, wake: false, signs: false, tpm: nil, apps: [])
            var session = try Self.session(of: fixture)
            _ = await session.attend([.commands, .look, .status])
            try fixture.device.change { $0.enrollment?.needsSignIn = true }
            _ = await session.attend(.status)
            #expect(fixture.device.known.needsSignIn)
            _ = await session.attend(.commands)
            #expect(!fixture.device.known.needsSignIn)
        }
    }

    private static func session(of fixture: EnrolledDevice) throws -> Session {
        let roots = [try ScriptedServer.root()]
        let requests = MDMRequests(
            connection: try ServerConnection(roots: roots, identity: nil),
            profile: EnrolledDevice.profile(fixture.server, signs: false), identifier: fixture.device.known.identifier)
        return Session(
            device: fixture.device, requests: requests,
            anonymous: try ServerConnection(roots: roots, identity: nil, trustsSystem: true),
            provisioner: SecretProvisioner(issuers: [:]), attempt: { _ in .untried(.notRunning) }, publish: {},
            now: { [clock = fixture.clock] in clock.now }, log: fixture.log.logger())
    }

    /// `martlet-agent status` asks the agent that runs, which also logs what a person at the device ends.
    @Test func theRunningAgentSaysWhyItsServerIsAwayAndWhatUnenrollingRemoves() async throws {
        let directory = FileManager.default.temporaryDirectory.appending(path: "agent-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(atPath: directory, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: directory) }
        let management = PlayedManagement()
        try await ScriptedServer.run({ management.answer($0) }) { server in
            management.listens(at: server.url)
            management.publish(1)
            let fixture = try EnrolledDevice(server, management, wake: false, signs: false, tpm: nil, apps: [])
            var pace = EnrolledDevice.pace
            pace.poll = .milliseconds(50)
            let paths = AgentPaths(directory: directory)
            let agent = Agent(
                device: fixture.device, sockets: paths, pace: pace, ready: { _ in }, log: fixture.log.logger())
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await agent.run() }
                defer { group.cancelAll() }
                try await fixture.serves(1)
                management.publish(1) { $0 == "command" ? .reply(502) : nil }
                let absence = try await eventually("the agent says that its server is away") {
                    await Self.waiting { ControlCommand.absence(controlPath: paths.controlSocket) }
                }
                #expect(absence.server == server.url)
                #expect(absence.reason == "the server answered 502")
                let outcome = try await Self.waiting {
                    Result { try ControlCommand.ask(controlPath: paths.controlSocket, .unenroll) }
                }.get()
                guard case .left? = outcome else {
                    Issue.record("unenrolling answered \(String(describing: outcome))")
                    return
                }
                #expect(
                    fixture.log.say(
                        "notice ", "has left its server", "unmanagedApps=\(PlayedManagement.app)", "removedApps=none",
                        "server=\(server.url)", "toldServer="))
                let later = await Self.waiting { ControlCommand.absence(controlPath: paths.controlSocket) }
                #expect(later == nil)
            }
        }
    }

    @Test func aDeviceThatItsServerLetsGoLogsWhatIsRemoved() async throws {
        try await EnrolledDevice.run { fixture in
            fixture.management.give([.password("login", "one")])
            fixture.management.publish(2)
            fixture.doorbell.ring(.look)
            try await fixture.eventually("it has a secret") { fixture.secrets.entries.count == 1 }
            fixture.management.publish(2) { $0 == "command" ? .reply(401) : nil }
            fixture.doorbell.ring(.commands)
            try await fixture.eventually("the log says so") {
                fixture.log.say(
                    "notice ", "the server has ended this device's enrollment", "unmanagedApps=\(PlayedManagement.app)")
            }
            #expect(!fixture.log.say("has ended this device's enrollment", "secrets=0"))
        }
    }

    /// Runs what waits for an answer where it holds up nothing else.
    private static func waiting<Value: Sendable>(_ body: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { done in
            DispatchQueue.global().async { done.resume(returning: body()) }
        }
    }
}
