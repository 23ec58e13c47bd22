import AppSpecification
import DeviceMessages
import Foundation
import InputBounds
import Management
import StoreSQLite
import Testing

/// Trials on a real store: who is sent a candidate, what is filled in, and how long anything of it is kept.
struct TrialTests {
    private static let app = "com.example.app"
    private static let marker = "only-in-the-candidate"

    private let fixture: Fixture

    init() async throws {
        fixture = try Fixture()
        try await fixture.enrol()
        try await fixture.assign()
        try await announce([TryConfiguration.feature: .object([:])])
    }

    private func announce(_ features: [String: JSONValue]) async throws {
        let capabilities = ClientCapabilities(supportedFeatures: features, declarations: [:], statusItems: [])
        let report = JSONValue.object([
            "StatusItems": .object(["management": .object(["client-capabilities": capabilities.value])]),
            "Errors": .array([]), "FullReport": .boolean(true),
        ])
        #expect(try await fixture.ask(.status, data: report.encoded()) == .done)
    }

    private func begin(
        _ value: String = marker, app: String = app, extension name: String? = nil, device: String = "D1",
        within seconds: Int = 60
    ) async throws -> Outcome<(trial: Trial, judgement: SpecificationJudgement), AdminRefusal> {
        try await fixture.management.beginTrial(
            Fixture.configuration(value), by: TrialSubject(app: app, extension: name), on: device, within: seconds,
            author: "admin")
    }

    private func uuid(_ outcome: Outcome<(trial: Trial, judgement: SpecificationJudgement), AdminRefusal>) throws
        -> String
    {
        try #require(outcome.value?.trial.uuid)
    }

    private func state(_ uuid: String) async throws -> Trial.State? {
        try await trial(uuid)?.state
    }

    private func trial(_ uuid: String, extension name: String? = nil) async throws -> Trial? {
        try await fixture.management.trial(uuid, by: TrialSubject(app: Self.app, extension: name), on: "D1")
    }

    /// What the device is sent next, if it is a trial.
    private func sent(_ status: CommandStatus = .idle, _ uuid: String? = nil) async throws -> TryConfiguration? {
        guard let command = try await fixture.command(status, uuid) else { return nil }
        return command.requestType == TryConfiguration.requestType ? try TryConfiguration(command.request) : nil
    }

    private func answer(_ verdict: TrialVerdict, to uuid: String) async throws {
        let report = CommandReport(
            identifier: Fixture.identifier("D1"), status: .acknowledged, commandUUID: uuid, contents: verdict.contents)
        _ = try await fixture.management.exchange(report, signer: Fixture.signer)
    }

    @Test func aTrialGoesToTheDeviceAndItsVerdictComesBack() async throws {
        let uuid = try uuid(await begin(extension: "com.example.part"))
        #expect(try await state(uuid) == .waiting)
        let trial = try #require(await sent())
        #expect(trial.app == Self.app && trial.extension == "com.example.part")
        #expect(trial.configuration == Fixture.configuration(Self.marker))
        #expect(try await state(uuid) == .running)
        let refusal = TrialVerdict.refused(
            TrialRefusal(code: 100, message: "m", keyPath: "value", keyPathSupplied: true, type: "T"))
        try await answer(refusal, to: uuid)
        #expect(try await state(uuid) == .ended(refusal))
        try await answer(.accepted, to: uuid)
        #expect(try await state(uuid) == .ended(refusal), "an answer that came before is the answer")
    }

    /// Nothing of the candidate is left once the device has answered.
    @Test func theCandidateLeavesWithTheAnswer() async throws {
        let uuid = try uuid(await begin())
        #expect(try await sent() != nil)
        let store = try fixture.besideServer().store
        #expect(try await store.command(uuid, of: "D1")?.document.isEmpty == false)
        try await answer(.accepted, to: uuid)
        #expect(try await store.command(uuid, of: "D1")?.document.isEmpty == true)
    }

    /// A trial whose time is over is not sent, not even by a server that was not there meanwhile; a late answer is none.
    @Test(arguments: [true, false]) func aTrialWhoseTimeIsOverIsForgotten(wasSent: Bool) async throws {
        let uuid = try uuid(await begin(within: 10))
        if wasSent { #expect(try await sent() != nil) }
        try fixture.restart()
        fixture.advance(12)
        #expect(try await sent() == nil)
        #expect(try await state(uuid) == .expired)
        let store = try fixture.besideServer().store
        #expect(try await store.command(uuid, of: "D1")?.document.isEmpty == true)
        try await answer(.accepted, to: uuid)
        #expect(try await state(uuid) == .expired)
    }

    /// The upkeep forgets it too, where no device asks and nobody waits.
    @Test func theUpkeepForgetsIt() async throws {
        let uuid = try uuid(await begin(within: 10))
        let store = try fixture.besideServer().store
        fixture.advance(9)
        try await fixture.management.maintain()
        #expect(try await store.command(uuid, of: "D1")?.document.isEmpty == false)
        fixture.advance(3)
        try await fixture.management.maintain()
        let command = try await store.command(uuid, of: "D1")
        #expect(command?.document.isEmpty == true && command?.state == .dropped)
    }

    /// A late answer that comes before anything else has noticed that the time is over.
    @Test func anAnswerAfterTheTimeIsNone() async throws {
        let uuid = try uuid(await begin(within: 10))
        #expect(try await sent() != nil)
        fixture.advance(12)
        try await answer(.accepted, to: uuid)
        #expect(try await state(uuid) == .expired)
    }

    @Test func aDeviceThatLeavesLeavesNoCandidate() async throws {
        let uuid = try uuid(await begin())
        #expect(try await fixture.management.withdraw("D1", author: "admin") == nil)
        #expect(try await state(uuid) == .cancelled)
        #expect(try await fixture.besideServer().store.command(uuid, of: "D1")?.document.isEmpty == true)
    }

    /// Only agents that say they can are sent one.
    @Test func aDeviceThatDoesNotAnnounceItIsSentNothing() async throws {
        try await announce([MartletAgent.feature: .object(["Version": .string("0.1.0")])])
        let trial = try #require(await begin().value?.trial)
        #expect(trial.state == .unsupportedDevice && trial.uuid == nil)
        #expect(try await sent() == nil)
    }

    /// The device's own values are filled in as for an assignment; without them nothing is sent.
    @Test func variablesAreFilledInForTheDevice() async throws {
        let missing = try #require(await begin("${person.email} ${device.name}").value?.trial)
        #expect(missing.state == .missingValues(["person.email"]) && missing.uuid == nil)
        #expect(try await sent() == nil)
        _ = try uuid(await begin("${device.name}/$${x}"))
        #expect(try await sent()?.configuration == Fixture.configuration("n/${x}"))
    }

    /// What the specification finds is said beside, and does not decide.
    @Test func theSpecificationSpeaksBeside() async throws {
        let specification =
            #"{"x-app": {"bundleIdentifier": "com.example.app"}, "properties": {"value": {"maxLength": 3}}}"#
        _ = try #require(
            await fixture.management.putSpecification(
                Data(specification.utf8), of: Self.app, version: "1", author: "admin"
            ).value)
        let begun = try #require(await begin().value)
        #expect(begun.judgement.errors.map(\.finding.rule) == ["maxLength"] && begun.trial.state == .waiting)
        #expect(try await begin("abc").value?.judgement.errors.isEmpty == true)
    }

    /// A15, S4-SPEC-03: a refusal of a trial is explained as one of a configuration is: by what was published for the
    /// version on the device or the nearest to it, of an extension by its own table first.
    @Test func aRefusalComesWithWhatTheAppPublishesAboutIt() async throws {
        func publish(_ version: String) async throws {
            let text = #"""
                {"x-app": {"bundleIdentifier": "com.example.app"},
                 "x-errors": [{"code": 100, "meaning": "m \#(version)", "remedy": "r"}],
                 "x-extensions": {"com.example.app.x": {"x-errors": [{"code": 100, "meaning": "of x"}]}}}
                """#
            let stored = try await fixture.management.putSpecification(
                Data(text.utf8), of: Self.app, version: version, author: "admin")
            _ = try #require(stored.value)
        }
        func refused(_ code: Int, extension name: String? = nil) async throws -> RefusalExplanation? {
            let uuid = try uuid(await begin(extension: name))
            #expect(try await sent() != nil)
            #expect(try await trial(uuid)?.explanation == nil)
            try await answer(.refused(TrialRefusal(code: code)), to: uuid)
            return try await trial(uuid, extension: name)?.explanation
        }
        #expect(try await refused(100) == nil, "nothing is published yet")
        try await publish("1.0")
        try await publish("2.0")
        var report = StatusReport()
        report.set(.array([AppStatus(identifier: Self.app, shortVersion: "1.1").value]), at: AppStatus.name)
        #expect(try await fixture.ask(.status, data: report.encoded()) == .done)
        let found = try #require(await refused(100))
        #expect(found.error.meaning == "m 1.0" && found.error.remedy == "r" && found.source == .nearest(version: "1.0"))
        #expect(try await refused(100, extension: "com.example.app.x")?.error.meaning == "of x")
        #expect(try await refused(7) == nil)
        let standard = try #require(SpecifiedError.standard(9_010))
        #expect(try await refused(9_010) == RefusalExplanation(error: standard, source: .standard))
    }

    @Test func whatCannotBeIsRefused() async throws {
        #expect(try await begin(app: "com.example.other").refusal == .unknownApp)
        #expect(try await begin(device: "D9").refusal == .unknownDevice)
        for seconds in [0, 601] { #expect(try await begin(within: seconds).refusal?.kind == .invalid) }
        #expect(
            try await fixture.management.beginTrial(
                Data("no list".utf8), by: TrialSubject(app: Self.app), on: "D1", within: 9, author: "admin"
            ).refusal?.kind == .invalid)
        for _ in 0..<CommandLimits.openTrials { _ = try uuid(await begin()) }
        #expect(try await begin().refusal == .queueFull(limit: CommandLimits.openTrials))
        // By another way a candidate would be kept for long.
        let request = TryConfiguration(app: Self.app, configuration: Data()).request
        #expect(try await fixture.management.enqueue(request, for: "D1", author: "admin").refusal?.kind == .invalid)
    }

    /// Who tried what on which device is on record, and nothing of the candidate.
    @Test func aTrialIsOnRecordWithoutItsValues() async throws {
        let uuid = try uuid(await begin())
        let page = try await fixture.management.auditEntries(AuditFilter(), PageRequest())
        let entry = try #require(page.items.first { $0.action == "configuration.try" })
        #expect(entry.subject == Self.app && entry.actor == "administrator:admin")
        #expect(entry.details.contains(uuid) && entry.details.contains("D1"))
        #expect(!page.items.contains { $0.details.contains(Self.marker) })
    }

    @Test func anotherCommandIsNoTrial() async throws {
        let command = try #require(
            await fixture.management.enqueue(
                .dictionary(["RequestType": .string("ProfileList")]), for: "D1", author: "admin"
            ).value)
        #expect(try await state(command.uuid) == nil)
    }
}
