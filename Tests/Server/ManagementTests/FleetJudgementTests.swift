import AppSpecification
import DeviceMessages
import Foundation
import InputBounds
import Management
import Testing

/// One configuration for a fleet of several versions: what breaks a version that is on devices is not done by mistake.
///
/// A17, S4-BP-07, S4-SPEC-02.
struct FleetJudgementTests {
    private let fixture: Fixture
    private let management: Management
    private let app = "com.example.app"

    /// Two devices of the group `all` with the app's version 1.0, and a specification for 1.0 that takes less than 2.0's.
    init() async throws {
        fixture = try Fixture()
        management = try fixture.management
        _ = try await management.putApp(App(bundleIdentifier: app, name: "A", teamIdentifier: nil), author: "admin")
        for (number, most) in [(1, 30), (2, 60)] { try await publish("\(number).0", most: most) }
        _ = try #require(await set(10).value)
        for number in 1...2 {
            try await fixture.enrol("D\(number)", signer: Data(repeating: UInt8(number), count: 32))
            try await report("1.0", number)
        }
    }

    private func publish(_ version: String, most: Int) async throws {
        let text = #"""
            {"x-app": {"bundleIdentifier": "\#(app)"}, "properties": {"minutes": {"type": "integer", "maximum": \#(most)}}}
            """#
        _ = try #require(
            await management.putSpecification(Data(text.utf8), of: app, version: version, author: "admin").value)
    }

    private func report(_ version: String, _ number: Int) async throws {
        var report = StatusReport(fullReport: true)
        report.set(.array([AppStatus(identifier: app, shortVersion: version).value]), at: AppStatus.name)
        let signer = Data(repeating: UInt8(number), count: 32)
        #expect(try await fixture.ask(.status, data: report.encoded(), device: "D\(number)", signer: signer) == .done)
    }

    private static func bytes(_ minutes: Int) -> Data {
        PropertyListValue.dictionary(["minutes": .integer(Int64(minutes))]).xml()
    }

    private func set(
        _ minutes: Int, _ name: String = "main", isForced: Bool = false
    ) async throws -> Outcome<StoredConfiguration, AdminRefusal> {
        try await management.putConfiguration(
            app: app, name: name, bytes: Self.bytes(minutes), expected: .any, isForced: isForced, author: "admin")
    }

    private func assign(
        _ name: String = "main", isForced: Bool = false, isDryRun: Bool = false
    ) async throws -> Outcome<MadeAssignment, AdminRefusal> {
        try await management.assign(
            app: app, configuration: name, to: "all", isForced: isForced, isDryRun: isDryRun, author: "admin")
    }

    private func expectRefused(_ refusal: AdminRefusal?, _ versions: [AppVersionCount], line: Int = #line) {
        guard case .violations(let violations)? = refusal else {
            Issue.record("line \(line): not refused but \(String(describing: refusal))")
            return
        }
        #expect(violations.map(\.finding.description) == ["minutes: must be at most 30; found an integer"])
        #expect(violations.map(\.versions) == [versions], "line \(line)")
    }

    @Test func whatAVersionOnItsDevicesRefusesIsNotSet() async throws {
        _ = try #require(await assign().value)
        expectRefused(try await set(60).refusal, [AppVersionCount(version: "1.0", devices: 2)])
        let forced = try #require(await set(60, isForced: true).value)
        #expect(
            forced.warnings == [
                "The app will refuse it (version 1.0 on 2 devices): minutes: must be at most 30; found an integer."
            ])
        // Back to what it was, and on to what was refused.
        _ = try #require(await set(10).value)
        let reverted = try await management.revertConfiguration(
            app: app, name: "main", to: 2, expected: .any, author: "admin")
        expectRefused(reverted.refusal, [AppVersionCount(version: "1.0", devices: 2)])
    }

    @Test func aDryRunSaysTheSameOfTheNameItIsFor() async throws {
        _ = try #require(await assign().value)
        let named = try #require(await management.judge(Self.bytes(60), of: app, toBe: "main").value)
        #expect(named.errors.map(\.versions) == [[AppVersionCount(version: "1.0", devices: 2)]])
        for name in [nil, "other"] {
            let other = try #require(await management.judge(Self.bytes(60), of: app, toBe: name).value)
            #expect(other.errors.isEmpty)
            #expect(other.warnings.map { $0.hasPrefix("Version 1.0 of the app refuses it") } == [true])
        }
    }

    @Test func whenItsDevicesHaveGoneOnItIsAWarning() async throws {
        _ = try #require(await assign().value)
        try await report("2.0", 1)
        expectRefused(try await set(60).refusal, [AppVersionCount(version: "1.0", devices: 1)])
        try await report("2.0", 2)
        let stored = try #require(await set(60).value)
        #expect(stored.warnings.map { $0.hasPrefix("Version 1.0 of the app refuses it") } == [true])
    }

    /// The newest specification that is not newer than the version speaks for it.
    @Test func aVersionWithoutASpecificationIsJudgedByTheOneBefore() async throws {
        _ = try #require(await assign().value)
        try await report("1.4", 1)
        try await report("1.5", 2)
        expectRefused(
            try await set(60).refusal,
            [AppVersionCount(version: "1.5", devices: 1), AppVersionCount(version: "1.4", devices: 1)])
        for number in 1...2 { try await report("0.9", number) }
        #expect(try await set(60).value != nil, "nothing judges what is older than all")
    }

    @Test func whatAVersionInTheGroupRefusesIsNotAssigned() async throws {
        _ = try #require(await set(60, "long", isForced: true).value)
        expectRefused(try await assign("long").refusal, [AppVersionCount(version: "1.0", devices: 2)])
        #expect(try await management.assignment(app: app, group: "all") == nil)
        let dry = try await assign("long", isDryRun: true)
        expectRefused(dry.refusal, [AppVersionCount(version: "1.0", devices: 2)])
        let forced = try #require(await assign("long", isForced: true).value)
        #expect(forced.warnings.map { $0.contains("version 1.0 on 2 devices") } == [true])
        #expect(try await management.assignment(app: app, group: "all")?.configuration == "long")
    }

    @Test func aDryRunAssignsNothing() async throws {
        let made = try #require(await assign(isDryRun: true).value)
        #expect(made.warnings.isEmpty && made.assignment.configuration == "main")
        #expect(try await management.assignment(app: app, group: "all") == nil)
        #expect(try await assign("none", isDryRun: true).refusal == .unknownConfiguration)
        let nowhere = try await management.assign(
            app: app, configuration: nil, to: "none", isDryRun: true, author: "admin")
        #expect(nowhere.refusal == .unknownGroup)
    }

    /// An extension's configuration is checked against that extension's own specification, and nothing else.
    @Test func anAssignmentSaysWhoseConfigurationItIs() async throws {
        let text = #"""
            {"x-app": {"bundleIdentifier": "\#(app)"}, "properties": {"minutes": {"type": "integer"}},
             "x-extensions": {"\#(app).x": {"properties": {"minutes": {"type": "integer", "maximum": 5}}}}}
            """#
        _ = try #require(
            await management.putSpecification(Data(text.utf8), of: app, version: "1.0", author: "admin").value)
        #expect(try await assign().value?.warnings == [])
        let refused = try await management.assign(
            app: app, configuration: nil, extensions: ["\(app).x": "main"], to: "all", author: "admin")
        guard case .violations(let violations)? = refused.refusal else {
            Issue.record("not refused: \(refused)")
            return
        }
        #expect(violations.map(\.finding.message) == ["must be at most 5; found an integer"])
        let unknown = try await management.assign(
            app: app, configuration: nil, extensions: ["\(app).y": "main"], to: "all", author: "admin")
        #expect(unknown.value != nil)
    }
}
