import DeviceMessages
import Foundation
import InputBounds
import Management
import Testing

/// What a device gets, and why, as it is explained (A16, S4-GOAL-02, S4-FLOW-04).
struct ExplanationTests {
    private static let app = "com.example.app"
    private let fixture: Fixture

    /// A device of anna's in `all`, and the group `more` that gives the same app otherwise.
    init() async throws {
        fixture = try Fixture()
        let management = try fixture.management
        try await fixture.enrol(serial: "S1")
        try await fixture.assign(value: "${person.email} on ${device.serialNumber}")
        _ = try await management.createGroup(named: "more", author: "admin")
        _ = try #require(
            await management.putConfiguration(
                app: Self.app, name: "other", bytes: Fixture.configuration("2"), expected: .any, author: "admin"
            ).value)
        fixture.advance(5)
    }

    private func explained(in groups: [String]? = nil) async throws -> ExplainedApp {
        let found = try #require(await fixture.management.explain("D1", inGroups: groups).value)
        #expect(found.isHypothetical == (groups != nil))
        return try #require(found.apps.first)
    }

    private func assign(to group: String, priority: Int, install: AppSource.Install? = nil) async throws {
        _ = try #require(
            await fixture.management.assign(
                app: Self.app, configuration: "other", install: install, priority: priority, to: group,
                author: "admin"
            ).value)
    }

    @Test func theAssignmentThatCountsComesFirst() async throws {
        let management = try fixture.management
        try await assign(to: "more", priority: -1, install: .optional)
        #expect(try await management.addDevice("D1", toGroup: "more", author: "admin").value == [])
        var app = try await explained()
        #expect(app.candidates.map(\.assignment.group) == ["all", "more"])
        #expect(app.candidates.map(\.version) == [1, 1] && app.install == .required && app.isGiven)
        try await assign(to: "more", priority: 1, install: .optional)
        app = try await explained()
        #expect(app.candidates.map(\.assignment.group) == ["more", "all"])
        #expect(app.install == .optional && app.variables.isEmpty)
    }

    /// The document that a device gets says what the assignment says, else what the source says.
    @Test func anAssignmentSaysWhetherDevicesMustHaveTheApp() async throws {
        func word() async throws -> String? {
            try await fixture.document(.declaration(.configuration, identifier: "martlet.app.\(Self.app)"))?[
                "Payload"]?[
                    "InstallBehavior"]?["Install"]?.string
        }
        #expect(try await word() == "Required")
        try await assign(to: "all", priority: 0, install: .optional)
        #expect(try await word() == "Optional")
        try await assign(to: "all", priority: 0)
        #expect(try await word() == "Required")
    }

    @Test func variablesAreToldWithTheirValuesAndThoseThatAreMissing() async throws {
        let management = try fixture.management
        var app = try await explained()
        #expect(app.variables.map(\.name) == ["device.serialNumber", "person.email"])
        #expect(app.variables.map(\.value) == ["S1", nil] && app.variables.map(\.isOfPerson) == [false, true])
        #expect(
            app.withheld == [
                Withheld(app: Self.app, subject: .configuration, reason: .noValue(["person.email"]))
            ])
        _ = try await management.putPerson(Person(userName: "anna", details: [.email: "a@b.c"]), author: "admin")
        #expect(try await management.setPerson("anna", ofDevice: "D1", author: "admin") == nil)
        app = try await explained()
        #expect(app.variables.map(\.value) == ["S1", "a@b.c"] && app.withheld.isEmpty)
        #expect(app.variables.map(\.uses) == [[.configuration], [.configuration]])
    }

    @Test func secretsAreToldByNameAndGroup() async throws {
        let management = try fixture.management
        let value = SecretValue.password(userName: "u", password: "the-password")
        _ = try #require(await management.setSecret("wifi", to: value, author: "admin").value)
        let slot = SecretSlot(group: "all", app: Self.app, extension: nil, kind: .password, identifier: "w")
        _ = try #require(await management.assignSecret("wifi", to: slot, author: "admin").value)
        let found = try #require(await management.explain("D1").value)
        let secret = try #require(found.apps.first?.secrets.first)
        #expect(secret.secret == "wifi" && secret.group == "all" && secret.version == 1 && secret.owner == nil)
        #expect(!"\(found)".contains("the-password"))
    }

    /// To be asked before something is assigned: the device's own manifest is as it was.
    @Test func whatADeviceWouldGetInOtherGroupsChangesNothing() async throws {
        try await assign(to: "more", priority: 0)
        let before = try await fixture.management.manifest(of: #require(await fixture.management.device("D1")))
        #expect(try await explained(in: ["more"]).candidates.map(\.assignment.configuration) == ["other"])
        #expect(try await explained(in: ["more", "all"]).candidates.count == 2)
        #expect(try await fixture.management.explain("D1", inGroups: []).value?.apps.isEmpty == true)
        let after = try await fixture.management.manifest(of: #require(await fixture.management.device("D1")))
        #expect(before == after)
        #expect(try await explained().candidates.map(\.assignment.group) == ["all"])
        #expect(try await fixture.management.explain("D1", inGroups: ["none"]).refusal == .unknownGroup)
        #expect(try await fixture.management.explain("D9").refusal == .unknownDevice)
        let many = (0...64).map { "g\($0)" }
        #expect(try await fixture.management.explain("D1", inGroups: many).refusal?.kind == .invalid)
    }

    @Test func aPriorityBeyondItsBoundsIsRefused() async throws {
        for priority in [-1_001, 1_001] {
            let outcome = try await fixture.management.assign(
                app: Self.app, configuration: nil, priority: priority, to: "all", author: "admin")
            #expect(outcome.refusal?.kind == .invalid)
        }
    }
}
