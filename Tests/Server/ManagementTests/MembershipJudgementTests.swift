import AppSpecification
import DeviceMessages
import Foundation
import InputBounds
import Management
import Testing

/// A device that comes to a group gets what the group gives: it is judged as an assignment is.
///
/// A17, S4-BP-07, S4-SPEC-04.
struct MembershipJudgementTests {
    private let fixture: Fixture
    private let management: Management
    private let app = "com.example.app"

    /// A device outside of the group `pupils`, with the app's version 1.0, which takes 30 minutes at most where 2.0 takes 60.
    init() async throws {
        fixture = try Fixture()
        management = try fixture.management
        _ = try await management.putApp(App(bundleIdentifier: app, name: "A", teamIdentifier: nil), author: "admin")
        try await publish("1.0", most: 30)
        try await publish("2.0", most: 60)
        try await fixture.enrol()
        var report = StatusReport(fullReport: true)
        report.set(.array([AppStatus(identifier: app, shortVersion: "1.0").value]), at: AppStatus.name)
        #expect(try await fixture.ask(.status, data: report.encoded()) == .done)
        for group in ["pupils", "staff"] {
            _ = try #require(await management.createGroup(named: group, author: "admin").value)
        }
        try await set("short", 10)
        try await set("long", 60)
        try await assign("long", to: "pupils")
    }

    private func publish(_ version: String, most: Int, secrets: String = "[]") async throws {
        let text = #"""
            {"x-app": {"bundleIdentifier": "\#(app)"}, "x-secrets": \#(secrets),
             "properties": {"minutes": {"type": "integer", "maximum": \#(most)}}}
            """#
        _ = try #require(
            await management.putSpecification(Data(text.utf8), of: app, version: version, author: "admin").value)
    }

    private func set(_ name: String, _ minutes: Int64) async throws {
        let bytes = PropertyListValue.dictionary(["minutes": .integer(minutes)]).xml()
        _ = try #require(
            await management.putConfiguration(
                app: app, name: name, bytes: bytes, expected: .any, isForced: true, author: "admin"
            ).value)
    }

    private func assign(_ name: String, to group: String, priority: Int = 0) async throws {
        let made = try await management.assign(
            app: app, configuration: name, priority: priority, to: group, isForced: true, author: "admin")
        _ = try #require(made.value)
    }

    private func join(
        _ group: String = "pupils", isForced: Bool = false, isDryRun: Bool = false
    ) async throws -> Outcome<[String], AdminRefusal> {
        try await management.addDevice("D1", toGroup: group, isForced: isForced, isDryRun: isDryRun, author: "admin")
    }

    private func groups() async throws -> [String]? { try await management.device("D1")?.groups }

    @Test(arguments: [true, false])
    func whatAnAppOnTheDeviceRefusesOfTheGroupIsNotGivenToIt(isDryRun: Bool) async throws {
        guard case .violations(let violations)? = try await join(isDryRun: isDryRun).refusal else {
            Issue.record("not refused")
            return
        }
        #expect(violations.map(\.finding.description) == ["minutes: must be at most 30; found an integer"])
        #expect(violations.map(\.versions) == [[AppVersionCount(version: "1.0", devices: 1)]])
        #expect(violations.map(\.app) == [app])
        #expect(try await groups() == ["all"])
    }

    @Test func forcedItIsAWarning() async throws {
        let sentence =
            "com.example.app will refuse it (version 1.0 on 1 device): minutes: must be at most 30; found an integer."
        #expect(try await join(isForced: true, isDryRun: true).value == [sentence])
        #expect(try await groups() == ["all"])
        #expect(try await join(isForced: true).value == [sentence])
        #expect(try await groups() == ["all", "pupils"])
        #expect(try await join().value == [], "who is in the group already is given nothing new")
    }

    /// Of several groups the assignment of the highest priority counts, then the one made last, and only that is judged.
    @Test(arguments: [0, 1]) func whatWouldNotCountOnTheDeviceIsNotJudged(priority: Int) async throws {
        try await assign("short", to: "all", priority: priority)
        if priority > 0 { try await assign("long", to: "pupils") }
        #expect(try await join().value == [])
        #expect(try await groups() == ["all", "pupils"])
    }

    @Test func anAssignmentThatIsNewerThanTheDevicesOwnIsJudged() async throws {
        try await assign("short", to: "all")
        try await assign("long", to: "pupils")
        #expect(try await join().refusal != nil)
    }

    /// What another of its groups gives the device, it has.
    @Test func secretsThatTheDeviceWouldLackAreNamed() async throws {
        try await publish("2.0", most: 60, secrets: #"[{"kind": "password", "identifier": "wifi", "required": true}]"#)
        try await assign("short", to: "all")
        try await assign("short", to: "staff")
        let lacking = "com.example.app: The group staff does not give the app the password “wifi”, which it needs."
        #expect(try await join("staff", isDryRun: true).value == [lacking])
        let secret = SecretValue.password(userName: nil, password: "p")
        _ = try #require(await management.setSecret("s", to: secret, author: "admin").value)
        let slot = SecretSlot(group: "pupils", app: app, kind: .password, identifier: "wifi")
        _ = try #require(await management.assignSecret("s", to: slot, author: "admin").value)
        #expect(try await join("staff", isDryRun: true).value == [lacking], "the device is not among the pupils")
        let own = SecretSlot(group: "all", app: app, kind: .password, identifier: "wifi")
        _ = try #require(await management.assignSecret("s", to: own, author: "admin").value)
        #expect(try await join("staff").value == [])
    }

    @Test func whatIsNotThereIsSaidFirst() async throws {
        #expect(try await join("none", isDryRun: true).refusal == .unknownGroup)
        let nobody = try await management.addDevice("D9", toGroup: "pupils", isDryRun: true, author: "admin")
        #expect(nobody.refusal == .unknownDevice)
    }
}
