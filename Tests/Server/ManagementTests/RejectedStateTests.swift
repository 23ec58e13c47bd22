import DeviceMessages
import Foundation
import Management
import Testing

/// The state of an app whose declaration the device reports as invalid.
struct RejectedStateTests {
    private static let app = "com.example.app"

    private static let states: [(ReportedAppState?, ReportedAppState)] = [
        (nil, .failed), (.waiting, .failed), (.decoded, .unapplied), (.unconfigured, .unapplied),
        (.unknown, .unapplied), (.refused, .refused), (.unapplied, .unapplied), (.withheld, .withheld),
        (.failed, .failed), (.offered, .offered),
    ]

    /// An app that is not there cannot be installed, one that is there goes on with what it has, and what is worse stays.
    @Test(arguments: states)
    func theStateFollowsFromWhatIsReported(reported: ReportedAppState?, state: ReportedAppState) {
        #expect(ReportedAppState.whereRejected(reported) == state)
    }

    @Test func anAppThatTheDeviceDoesNotReportHasFailed() {
        let states = ReportedAppState.ofApps(
            [AppStatus(identifier: "a", state: "managed")], refusing: [String](), rejecting: ["b", "c"],
            withholding: ["c"])
        #expect(states == ["a": .unconfigured, "b": .failed, "c": .failed])
    }

    /// Red if the rule takes a declaration that is on its way for one that failed, or loses what the device says of it.
    @Test func onlyInvalidDeclarationsOfAppsCount() async throws {
        let fixture = try Fixture()
        try await fixture.enrol()
        try await fixture.assign(Self.app)
        let manifest = try await fixture.management.manifest(of: fixture.context())
        func reported(_ valid: DeclarationStatus.Validity, _ name: String = "martlet.app.") -> DeclarationStatuses {
            DeclarationStatuses(configurations: [
                DeclarationStatus(
                    identifier: name + Self.app, serverToken: "1", active: true, valid: valid,
                    reasons: [StatusReason(code: "Error.DownloadFailed")])
            ])
        }
        let found = manifest.rejectedApps(by: reported(.invalid))
        #expect(found == [Self.app: [StatusReason(code: "Error.DownloadFailed")]])
        #expect(manifest.rejectedApps(by: reported(.unknown)).isEmpty)
        #expect(manifest.rejectedApps(by: reported(.valid)).isEmpty)
        #expect(manifest.rejectedApps(by: reported(.invalid, "foreign.")).isEmpty)
        #expect(manifest.rejectedApps(by: nil).isEmpty)
    }
}
