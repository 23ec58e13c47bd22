import DeviceAgent
import DeviceMessages
import Foundation
import InputBounds
import Synchronization
import Testing

/// The command to try a configuration, as a device in touch with its server deals with it.
@Suite(.timeLimit(.minutes(10)))
struct TrialCommandTests {
    private static let refusal = TrialVerdict.refused(TrialRefusal(code: 100, message: "m", keyPath: "k"))

    private static func command(_ request: PropertyListValue? = nil, _ app: String = PlayedManagement.app) throws
        -> Data
    {
        let trial = TryConfiguration(app: app, configuration: Data("candidate".utf8))
        return try Command(uuid: "T", request: request ?? trial.request).encoded()
    }

    /// What the device has said of the command so far.
    private static func answers(_ fixture: EnrolledDevice) -> [CommandReport] {
        fixture.management.requests.compactMap { try? CommandReport(parsing: $0.body) }
            .filter { $0.commandUUID == "T" }
    }

    /// Sends the command and waits for the answer.
    private static func order(_ command: Data, _ fixture: EnrolledDevice) async throws -> CommandReport {
        let before = answers(fixture).count
        fixture.management.order(command)
        fixture.doorbell.ring(.commands)
        try await fixture.eventually("the command is answered") { answers(fixture).count > before }
        return answers(fixture)[before]
    }

    private func withApp(
        attempt: @escaping ConfigurationAttempt, _ test: (EnrolledDevice) async throws -> Void
    ) async throws {
        let root = try Fixture.directory()
        defer { try? FileManager.default.removeItem(at: root) }
        let bundle = root.appending(path: "A.app")
        try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
        let information = [
            "CFBundleIdentifier": PlayedManagement.app, "CFBundleExecutable": "a", "CFBundleVersion": "1",
        ]
        try PropertyListSerialization.data(fromPropertyList: information, format: .xml, options: 0)
            .write(to: bundle.appending(path: "Info.plist"))
        try Data("#!/bin/sh\n".utf8).write(to: bundle.appending(path: "a"))
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755], ofItemAtPath: bundle.appending(path: "a").path)
        try await EnrolledDevice.run(apps: [root.path], attempt: attempt) { fixture in
            fixture.management.publish(1)
            fixture.doorbell.ring(.look)
            try await fixture.serves(1)
            try await test(fixture)
        }
    }

    /// A server that repeats the command gets the same answer, and the app is not asked again.
    @Test func aTrialRunsOnceHoweverOftenItIsSent() async throws {
        let tried = Mutex<[TryConfiguration]>([])
        try await withApp(attempt: { trial in
            tried.withLock { $0.append(trial) }
            return Self.refusal
        }) { fixture in
            for _ in 0..<2 {
                let answer = try await Self.order(Self.command(), fixture)
                #expect(answer.status == .acknowledged)
                #expect(try TrialVerdict(answer.contents) == Self.refusal)
            }
            #expect(tried.withLock { $0 }.map(\.configuration) == [Data("candidate".utf8)])
        }
    }

    /// An agent that ends while an app tries says so afterwards, and does not try again; the candidate is on no disk.
    @Test func anAgentThatEndsMeanwhileDoesNotTryAgain() async throws {
        let disk = Mutex<MemorySteps?>(nil)
        let steps = Mutex<MemorySteps?>(nil)
        try await withApp(attempt: { _ in
            disk.withLock { $0 = steps.withLock { $0?.copy() } }
            return .accepted
        }) { fixture in
            steps.withLock { $0 = fixture.steps }
            #expect(try TrialVerdict(await Self.order(Self.command(), fixture).contents) == .accepted)
            let left = try #require(disk.withLock { $0 })
            let device = try Device(
                directory: "/d", appDirectories: [], facts: fixture.device.facts, namesMachine: false, steps: left)
            let waiting = try #require(device.known.commands.undelivered)
            let report = try CommandReport(parsing: waiting.report)
            #expect(waiting.uuid == "T" && report.status == .error)
            #expect(report.errorChain.first?.localizedDescription.contains("ended before") == true)
            #expect(!"\(device.known)".contains(Data("candidate".utf8).base64EncodedString()))
        }
    }

    /// The answer about an unmanaged app states only that; a managed app that is missing is not tried.
    @Test func whatIsNotManagedOrNotThereIsNotTried() async throws {
        let tried = Mutex(0)
        try await EnrolledDevice.run(attempt: { _ in
            tried.withLock { $0 += 1 }
            return .accepted
        }) { fixture in
            fixture.management.publish(1)
            fixture.doorbell.ring(.look)
            try await fixture.serves(1)
            let absent = try await Self.order(Self.command(), fixture)
            #expect(try TrialVerdict(absent.contents) == .untried(.notInstalled))
        }
        try await EnrolledDevice.run { fixture in
            let other = try await Self.order(Self.command(nil, "com.example.other"), fixture)
            #expect(try TrialVerdict(other.contents) == .untried(.notManaged))
        }
        #expect(tried.withLock { $0 } == 0)
    }

    /// A trial during which the agent of the release before ended: its record is read, and the app is not asked.
    @Test func aTrialThatAnEarlierAgentBeganIsNotBegunAgain() async throws {
        let report = CommandReport(
            identifier: EnrollmentIdentifier(kind: .device, id: "U"), status: .error, commandUUID: "T"
        ).encoded().base64EncodedString()
        let entry = "{\"uuid\":\"T\",\"report\":\"\(report)\",\"isDelivered\":true}"
        let ledger = try JSONDecoder().decode(CommandLedger.self, from: Data("{\"entries\":[\(entry)]}".utf8))
        let tried = Mutex(0)
        try await EnrolledDevice.run(attempt: { _ in
            tried.withLock { $0 += 1 }
            return .accepted
        }) { fixture in
            try fixture.device.change { $0.commands = ledger }
            let answer = try await Self.order(Self.command(), fixture)
            #expect(answer.status == .error)
            #expect(tried.withLock { $0 } == 0)
        }
    }

    /// A server that was not given the right over apps has none of them try anything.
    @Test func aTrialNeedsTheRightOverApps() async throws {
        let tried = Mutex(0)
        try await EnrolledDevice.run(
            rights: AccessRights.all - AccessRights.apps,
            attempt: { _ in
                tried.withLock { $0 += 1 }
                return .accepted
            }
        ) { fixture in
            let answer = try await Self.order(Self.command(), fixture)
            #expect(answer.status == .error && answer.errorChain.first?.code == 12_007)
            #expect(tried.withLock { $0 } == 0)
        }
    }

    @Test func aTrialThatIsNoneIsAFormatError() async throws {
        try await EnrolledDevice.run { fixture in
            let answer = try await Self.order(
                Self.command(.dictionary(["RequestType": .string(TryConfiguration.requestType)])), fixture)
            #expect(answer.status == .commandFormatError)
        }
    }
}
