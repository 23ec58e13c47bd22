import DeviceMessages
import Foundation
import InputBounds
import Testing

@testable import Management

/// When a problem of an app begins, and when the same problem begins again.
struct AppAlertTests {
    /// Expects which problems begin as an app has these states, each so many seconds after the start.
    private func expect(
        _ states: [(state: ReportedAppState?, at: TimeInterval)], begin expected: [AppAlert?],
        sourceLocation: SourceLocation = #_sourceLocation
    ) {
        var alerts = AppAlerts()
        var begun: [AppAlert?] = []
        for (state, seconds) in states { begun.append(alerts.apply(state, now: Fixture.start + seconds)) }
        #expect(begun == expected, sourceLocation: sourceLocation)
    }

    /// The states on which an administrator has to act are those that are alerts.
    @Test func everyFailingStateIsAProblemAndNoOtherIs() {
        for state in ReportedAppState.allCases { #expect((AppAlert(state) != nil) == state.isFailing, "\(state)") }
    }

    /// Red if a problem is recorded with each report that has it.
    @Test func aProblemBeginsOnce() {
        expect(
            [(.refused, 0), (.refused, 4_000), (.unapplied, 8_000), (.refused, 90_000)],
            begin: [.refused, nil, nil, nil])
    }

    /// Red if an installation that is tried again each hour is a new problem each time.
    @Test func aStateInBetweenDoesNotEndIt() {
        expect(
            [(.failed, 0), (.waiting, 4_000), (.failed, 8_000), (.unknown, 9_000), (.failed, 20_000)],
            begin: [.failed, nil, nil, nil, nil])
    }

    @Test(arguments: [ReportedAppState.decoded, .unconfigured, .offered, nil])
    func itBeginsAgainAfterTheAppWasInOrderOrGone(end: ReportedAppState?) {
        expect([(.failed, 0), (end, 4_000), (.failed, 4_001)], begin: [.failed, nil, .failed])
    }

    /// Red if a device that reports good and bad states in turn fills the audit log, or if what comes back is lost.
    @Test func theSameProblemIsRecordedOnceAnHour() {
        expect(
            [(.failed, 0), (.decoded, 10), (.failed, 20), (.decoded, 30), (.failed, 3_599), (.failed, 3_600)],
            begin: [.failed, nil, nil, nil, nil, .failed])
    }

    @Test func eachProblemIsOneOfItsOwn() {
        expect(
            [(.refused, 0), (.failed, 1), (.withheld, 2), (.refused, 3)],
            begin: [.refused, .failed, .withheld, nil])
    }

    /// Red if a clock that was ahead suppresses what happens until that time comes.
    @Test func aTimeOfTheFutureLimitsNothing() {
        expect([(.failed, 900_000), (.decoded, 0), (.failed, 1)], begin: [.failed, nil, .failed])
    }
}

/// Problems of the fleet are entries of the audit log, and so of webhooks.
struct AlertTests {
    private static let app = "com.example.app"
    private static let day: TimeInterval = 86_400

    private let fixture: Fixture

    init() async throws {
        fixture = try Fixture()
        try await fixture.enrol()
        try await fixture.assign(Self.app)
    }

    /// The alerts so far, in their order.
    private func alerts() async throws -> [AuditEntry] {
        let entries = try await fixture.management.auditEntries(AuditFilter(), PageRequest(limit: 500)).items
        return entries.reversed().filter { $0.action.hasPrefix("alert.") }
    }

    /// Reports apps, a while later, in a report that is like none before.
    private func report(_ apps: AppStatus..., isFull: Bool = false, after seconds: TimeInterval = 1) async throws {
        fixture.advance(seconds)
        var report = StatusReport(fullReport: isFull)
        report.set(.array(apps.map(\.value)), at: AppStatus.name)
        report.set(.string("\(try fixture.management.moment)"), at: "test.marker")
        #expect(try await fixture.ask(.status, data: report.encoded()) == .done)
    }

    private static func status(_ codes: String..., config: String = "valid") -> AppStatus {
        AppStatus(
            identifier: app, shortVersion: "1.0", state: "managed", configState: AppStatus.ConfigState(app: config),
            reasons: codes.map { StatusReason(code: $0) })
    }

    // MARK: Apps

    private static let problems = [
        (status(config: "invalid"), "alert.refused", "refused"),
        (status(AppStatus.configurationNotApplied), "alert.refused", "unapplied"),
        (status(AppStatus.secretUnavailable), "alert.withheld", "withheld"),
        (AppStatus(identifier: app, state: "failed"), "alert.failed", "failed"),
    ]

    @Test(arguments: problems)
    func aProblemIsRecordedWithTheDeviceTheAppAndItsState(
        status: AppStatus, action: String, state: String
    ) async throws {
        try await report(Self.status())
        #expect(try await alerts() == [])
        try await report(status)
        try await report(status)
        let recorded = try await alerts()
        #expect(recorded.map(\.action) == [action] && recorded.map(\.subject) == ["D1"])
        #expect(recorded.map(\.actor) == ["device:D1"])
        #expect(recorded.map(\.details) == [#"{"app":"com.example.app","state":"\#(state)"}"#])
    }

    /// Red if the state is not kept, if a problem never ends, or if it ends with any report.
    @Test func itIsRecordedAgainAfterItEnded() async throws {
        try await report(Self.status(config: "invalid"))
        try fixture.restart()
        try await report(Self.status(config: "invalid"), after: 4_000)
        #expect(try await alerts().count == 1)
        try await report(Self.status(), after: 4_000)
        try await report(Self.status(config: "invalid"))
        #expect(try await alerts().count == 2)
        // A full report without the app says that it is gone.
        try await report(isFull: true, after: 4_000)
        try await report(Self.status(config: "invalid"))
        #expect(try await alerts().map(\.action) == ["alert.refused", "alert.refused", "alert.refused"])
    }

    /// A device may report any number of apps: only those that administrators have are in the log.
    @Test func anAppThatNoAdministratorHasIsNone() async throws {
        try await report(AppStatus(identifier: "com.example.planted", state: "failed"))
        #expect(try await alerts() == [])
    }

    /// A device cannot know what it is not given: it reports that the app is in order.
    ///
    /// Red if alerts and counts begin with reports alone.
    @Test func whatTheServerWithholdsIsAProblemUntilTheDeviceIsGivenIt() async throws {
        let management = try fixture.management
        func states() async throws -> [ReportedAppState: Int] { try await management.store.states(of: Self.app) }
        try await report(Self.status())
        try await fixture.configure(Self.app, value: "${person.email}")
        for _ in 1...2 { _ = try await fixture.document(.declarationItems) }
        #expect(try await states() == [.withheld: 1])
        try await report(Self.status())
        #expect(try await states() == [.withheld: 1])
        let recorded = try await alerts()
        #expect(recorded.map(\.action) == ["alert.withheld"] && recorded.map(\.actor) == ["server"])
        #expect(recorded.map(\.details) == [#"{"app":"com.example.app","state":"withheld"}"#])
        _ = try await management.putPerson(Person(userName: "anna", details: [.email: "a@b.c"]), author: "admin")
        #expect(try await management.setPerson("anna", ofDevice: "D1", author: "admin") == nil)
        _ = try await fixture.document(.declarationItems)
        #expect(try await states() == [.decoded: 1])
        fixture.advance(4_000)
        #expect(try await management.setPerson(nil, ofDevice: "D1", author: "admin") == nil)
        _ = try await fixture.document(.declarationItems)
        #expect(try await alerts().map(\.action) == ["alert.withheld", "alert.withheld"])
    }

    /// As `docs/webhooks.md` says: the entry has the actor whose word began the problem.
    @Test func theReportThatFirstNamesAnAppIsTheDevicesOwn() async throws {
        try await fixture.configure(Self.app, value: "${person.email}")
        _ = try await fixture.document(.declarationItems)
        #expect(try await alerts() == [])
        try await report(Self.status())
        let recorded = try await alerts()
        #expect(recorded.map(\.action) == ["alert.withheld"] && recorded.map(\.actor) == ["device:D1"])
    }

    /// Reports on the declaration of the app, a while later.
    private func declare(_ valid: DeclarationStatus.Validity, after seconds: TimeInterval = 1) async throws {
        fixture.advance(seconds)
        let reasons = valid == .invalid ? [StatusReason(code: "Error.DownloadFailed")] : []
        let app = DeclarationStatus(
            identifier: "martlet.app.\(Self.app)", serverToken: "1", active: true, valid: valid, reasons: reasons)
        var report = StatusReport()
        report.set(DeclarationStatuses(configurations: [app]).value, at: DeclarationStatuses.name)
        report.set(.string("\(try fixture.management.moment)"), at: "test.marker")
        #expect(try await fixture.ask(.status, data: report.encoded()) == .done)
    }

    /// A device that cannot fetch an app's manifest does not know which app that is, and reports none.
    ///
    /// Red if alerts and counts begin with the reported apps alone.
    @Test func anAppWhoseDeclarationIsInvalidHasFailedUntilItIsValid() async throws {
        func states() async throws -> [ReportedAppState: Int] {
            try await fixture.management.store.states(of: Self.app)
        }
        try await declare(.unknown)
        #expect(try await states() == [:])
        #expect(try await alerts() == [])
        for _ in 1...2 { try await declare(.invalid) }
        #expect(try await states() == [.failed: 1])
        let recorded = try await alerts()
        #expect(recorded.map(\.action) == ["alert.failed"] && recorded.map(\.actor) == ["device:D1"])
        #expect(recorded.map(\.details) == [#"{"app":"com.example.app","state":"failed"}"#])
        #expect(try await fixture.management.device("D1")?.failingApps == 1)
        let explained = try #require(await fixture.management.explain("D1").value)
        #expect(explained.apps.compactMap(\.state) == [.failed])

        try await declare(.valid)
        #expect(try await states() == [:])
        try await report(Self.status())
        #expect(try await states() == [.decoded: 1])
        #expect(try await alerts().count == 1)
        try await declare(.invalid, after: 4_000)
        #expect(try await states() == [.unapplied: 1], "it goes on with what it has")
        try await declare(.valid)
        #expect(try await states() == [.decoded: 1])
        #expect(try await alerts().map(\.action) == ["alert.failed", "alert.refused"])
    }

    /// Red if events do not name the app, by which an owner's rights are judged.
    @Test func eventsNameTheAppAndTheDevice() async throws {
        try await report(Self.status(config: "invalid"))
        let entry = try #require(await alerts().first)
        let change = Change(entry)
        #expect(change.kind == "alert.refused" && change.app == Self.app && change.device == "D1")
        #expect(Rights(role: .reader).shown(change) != nil)
    }

    // MARK: Devices that are not seen

    private func seen(_ device: String = "D1") async throws {
        let management = try fixture.management
        try await management.store.recordSeen([device: management.moment])
    }

    /// Maintains after a while; returns the devices that were recorded as unseen so far.
    private func unseen(after seconds: TimeInterval) async throws -> [String] {
        fixture.advance(seconds)
        try await fixture.management.maintain()
        return try await alerts().filter { $0.action == "alert.unseen" }.map(\.subject)
    }

    @Test func aDeviceThatIsNoLongerSeenIsRecordedOnceUntilItIsSeenAgain() async throws {
        try await seen()
        #expect(try await unseen(after: 0) == [])
        #expect(try await unseen(after: 3_700) == [])
        #expect(try await unseen(after: Self.day) == [], "it was seen yesterday")
        #expect(try await unseen(after: Self.day) == ["D1"])
        let entry = try #require(await alerts().last)
        #expect(entry.actor == "server" && entry.details == #"{"lastSeen":"2027-01-15T08:00:00Z"}"#)
        for pause in [3_700, Self.day, Self.day] { #expect(try await unseen(after: pause) == ["D1"]) }
        try await seen()
        #expect(try await unseen(after: 3_700) == ["D1"])
        #expect(try await unseen(after: 2 * Self.day) == ["D1", "D1"])
    }

    /// Red if a server that was down for days takes all of its devices for lost as it starts.
    @Test func afterAServerWasDownItsDevicesHaveTimeToConnect() async throws {
        try await fixture.enrol("D2", signer: Data(repeating: 8, count: 32))
        for device in ["D1", "D2"] { try await seen(device) }
        for pause: TimeInterval in [0, 3_700, 37 * 3_600] { #expect(try await unseen(after: pause) == []) }
        // Longer than a day, and the server would doubt its clock.
        fixture.advance(23 * 3_600)
        try fixture.restart()
        #expect(try await unseen(after: 0) == [])
        try await seen("D1")
        #expect(try await unseen(after: 3_700) == ["D2"])
    }

    /// Red if a clock that is set forward has every device recorded.
    @Test func aClockThatStepsForwardHasNoDeviceRecorded() async throws {
        try await seen()
        #expect(try await unseen(after: 0) == [])
        #expect(try await unseen(after: 3_700) == [])
        fixture.leap(3 * Self.day)
        #expect(try await unseen(after: 3_700) == [])
    }

    // MARK: Webhooks

    @Test func aPatternNamesAllAlerts() throws {
        let actions = try #require(WebhookEvents(parsing: ["alert.*"]).actions)
        #expect(actions.sorted() == ["alert.failed", "alert.refused", "alert.unseen", "alert.withheld"])
    }

    @Test(arguments: [
        (AuditEntry.Action.alertFailed, #"{"app":"a.b","state":"failed"}"#, ["app": "a.b", "state": "failed"]),
        (AuditEntry.Action.alertUnseen, #"{"lastSeen":"2027-01-15T08:00:00Z"}"#, ["lastSeen": "2027-01-15T08:00:00Z"]),
    ])
    func anEventOfAnAlertHasItsDetails(
        action: AuditEntry.Action, details: String, members: [String: String]
    ) throws {
        let entry = AuditEntry(
            after: nil, time: Fixture.start, actor: "server", action: action, subject: "D1", details: details)
        let message = WebhookMessage(entry, sent: Fixture.start + 60)
        let body = try JSONValue(parsing: message.body, limits: InputLimits(bytes: 4_096, objects: 100))
        #expect(body["type"]?.string == action.rawValue)
        var data = try #require(body["data"]?.object)
        for name in ["sequence", "actor", "action", "subject", "hash"] {
            let member = data.removeValue(forKey: name)
            #expect(member != nil, "\(name)")
        }
        var expected: [String: JSONValue] = members.mapValues { .string($0) }
        expected["device"] = .string("D1")
        #expect(data == expected)
    }
}
