import DeviceMessages
import InputBounds
import Testing

@testable import Management

/// The state of an app of which the server withholds something from a device.
struct WithheldStateTests {
    private static let app = "com.example.app"

    /// `withheld` replaces each state that goes behind a secret that the app lacks, and no other state.
    @Test func theWorstStateApplies() {
        let hidden: [ReportedAppState] = [.refused, .unapplied, .failed, .offered]
        for state in ReportedAppState.allCases {
            #expect(state.whereWithheld == (hidden.contains(state) ? state : .withheld), "\(state)")
        }
    }

    @Test func anAppThatTheDeviceDoesNotReportHasNone() {
        let reported = [AppStatus(identifier: "a", state: "managed"), AppStatus(identifier: "b", state: "managed")]
        let states = ReportedAppState.ofApps(reported, refusing: [String](), withholding: ["a", "c"])
        #expect(states == ["a": .withheld, "b": .unconfigured])
    }

    /// Something may be withheld although the declarations of the device stay the same; the device counts all the same.
    ///
    /// Red if a device is woken and counted only where its declarations change.
    @Test func aDeviceIsCountedThatIsGivenWhatItHad() async throws {
        let fixture = try Fixture()
        let management = try fixture.management
        try await fixture.enrol()
        let app = App(bundleIdentifier: Self.app, name: Self.app, teamIdentifier: "TEAM")
        _ = try await management.putApp(app, author: "admin")
        try await fixture.configure(Self.app, value: "${person.email}")
        _ = try #require(
            await management.assign(app: Self.app, configuration: nil, to: "all", author: "admin").value)
        _ = try await fixture.document(.declarationItems)
        var report = StatusReport(fullReport: true)
        report.set(.array([AppStatus(identifier: Self.app, state: "managed").value]), at: AppStatus.name)
        #expect(try await fixture.ask(.status, data: report.encoded()) == .done)
        func states() async throws -> [ReportedAppState: Int] { try await management.store.states(of: Self.app) }
        #expect(try await states() == [.unconfigured: 1])
        #expect(try await !management.isBehind(fixture.context()))

        _ = try #require(
            await management.assign(app: Self.app, configuration: "main", to: "all", author: "admin").value)
        #expect(try await management.isBehind(fixture.context()))
        #expect(try await fixture.report(.idle) == .nothing)
        #expect(try await states() == [.withheld: 1])
        #expect(try await !management.isBehind(fixture.context()))
        let explained = try #require(await management.explain("D1").value)
        #expect(explained.apps.compactMap(\.state) == [.withheld])
        let elsewhere = try #require(await management.explain("D1", inGroups: ["all"]).value)
        #expect(elsewhere.apps.compactMap(\.state) == [.unconfigured], "what it would get is not its state")
    }
}
