import AppMessages
import DeviceAgent
import DeviceMessages
import Foundation
import Testing

/// PyPI's varlink client, which was not written here, as an app: D8.
@Suite(.timeLimit(.minutes(10)))
struct VarlinkInteroperationTests {
    private static let root = (0..<4).reduce(URL(filePath: #filePath)) { path, _ in path.deletingLastPathComponent() }
    // `make setup` installs it beside the build.
    private static let python = root.appending(path: ".build/interop/python/bin/python3").path

    private static var isThere: Bool {
        FileManager.default.isExecutableFile(atPath: python)
            && (try? String(contentsOfFile: root.path + "/.build/interop/python/installed", encoding: .utf8))?
                .contains("varlink") == true
    }

    /// It reads the description, and calls and understands what is described there.
    @Test(.enabled(if: isThere, "PyPI's varlink client is not installed"))
    func anotherClientCallsByTheDescriptionAlone() async throws {
        let fixture = try Fixture(secrets: ["p": .password("only-for-the-app")])
        let list = Data("<plist version=\"1.0\"><dict><key>title</key><string>Notices</string></dict></plist>".utf8)
        fixture.service.update([
            Fixture.app: AppState(
                managed: true, synchronised: true, configuration: list,
                secrets: AppSecrets([.init(.password, "account", digest: "p")]), lowestTrust: .shared)
        ])
        let app = AppBundle(
            directory: "/", identifier: Fixture.app, name: "Python", version: "1", shortVersion: "1",
            executable: Self.python)
        let script = Self.root.appending(path: "Tests/Interoperation/varlink_app.py").path
        let said = try await fixture.run(app, arguments: [script], environment: ["PATH": "/usr/bin:/bin"])
            .split(separator: "\n").map(String.init)
        #expect(said.contains("interfaces dev.martlet.App dev.martlet.Defaults org.varlink.service"), "\(said)")
        let methods = said.first { $0.hasPrefix("dev.martlet.App ") } ?? ""
        for method in ["GetCertificate", "GetIdentity", "GetPassword", "ReportConfiguration", "Sign", "WatchSecrets"] {
            #expect(methods.contains(" \(method)"))
        }
        #expect(said.contains("configuration {'title': 'Notices'} True"))
        #expect(said.contains("password only-for-the-app"))
        #expect(
            said.filter { $0.hasPrefix("refusal ") } == [
                "refusal dev.martlet.App.InvalidIdentifier", "refusal org.varlink.service.ExpectedMore",
            ])
        #expect(said.last == "report {}")
    }
}
