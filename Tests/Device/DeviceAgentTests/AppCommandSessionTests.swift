import DeviceAgent
import DeviceMessages
import Foundation
import InputBounds
import TestLog
import Testing

/// Commands about apps, as a device in touch with its server deals with them.
@Suite(.timeLimit(.minutes(10)))
struct AppCommandSessionTests {
    /// An app that the played server declares nothing of.
    private static let app = "com.example.commanded"
    private static let configuration = PropertyListValue.dictionary(["url": .string("https://example.com")])

    private func order(_ request: PropertyListValue, _ uuid: String, _ fixture: EnrolledDevice) async throws
        -> CommandReport
    {
        let before = fixture.answers(to: uuid).count
        fixture.management.order(try Command(uuid: uuid, request: request).encoded())
        fixture.doorbell.ring(.commands)
        try await fixture.eventually("the command is answered") { fixture.answers(to: uuid).count > before }
        return try CommandReport(parsing: fixture.answers(to: uuid)[before])
    }

    /// The manifest is fetched before the answer, and once however often the command comes.
    @Test func anInstallationIsAnsweredOnceItsManifestIsHere() async throws {
        let manifest = AppManifest(
            bundleIdentifier: Self.app, bundleVersion: "2", title: "App", url: "https://127.0.0.1/package", check: .none
        ).encoded()
        try await EnrolledDevice.run(fault: { $0 == "manifest" ? .reply(200, body: manifest) : nil }) { fixture in
            let request = InstallApplication(
                manifestURL: fixture.server.url + "/manifest", configuration: Self.configuration
            ).request
            let first = try await order(request, "I", fixture)
            #expect(first.status == .acknowledged && first.contents["Identifier"] == .string(Self.app))
            #expect(first.contents["State"] == .string("Queued"))
            let source = fixture.device.known.commanded[Self.app]?.manifest
            #expect(source?.serverToken == "I" && source?.title == "App")
            let again = try await order(request, "I", fixture)
            #expect(again == first)
            #expect(fixture.management.asked.filter { $0 == "manifest" }.count == 1)
        }
    }

    @Test func aManifestThatCannotBeHadRefusesTheInstallation() async throws {
        try await EnrolledDevice.run(fault: { $0 == "manifest" ? .reply(404) : nil }) { fixture in
            let request = InstallApplication(manifestURL: fixture.server.url + "/manifest").request
            let report = try await order(request, "I", fixture)
            #expect(report.status == .error && report.contents["RejectionReason"] == .string("CouldNotVerifyAppID"))
            #expect(report.errorChain.first?.localizedDescription.contains("404") == true)
            #expect(
                fixture.log.say("a manifest cannot be had", "why=Error.DownloadFailed: "),
                "the log has the code that the server shows")
            #expect(fixture.device.known.commanded.isEmpty)
        }
    }

    /// With a server that declares nothing else, the app gets its dictionary, the change, and the end.
    @Test func anAppIsToldWhatCommandsGaveIt() async throws {
        let root = try Fixture.directory()
        defer { try? FileManager.default.removeItem(at: root) }
        let bundle = root.appending(path: "A.app")
        try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
        let information = ["CFBundleIdentifier": Self.app, "CFBundleExecutable": "a", "CFBundleVersion": "1"]
        try PropertyListSerialization.data(fromPropertyList: information, format: .xml, options: 0)
            .write(to: bundle.appending(path: "Info.plist"))
        try Data("#!/bin/sh\n".utf8).write(to: bundle.appending(path: "a"))
        try FileManager.default.setAttributes(
            [.posixPermissions: 0o755], ofItemAtPath: bundle.appending(path: "a").path)
        try await EnrolledDevice.run(apps: [root.path]) { fixture in
            let device = fixture.device
            try await fixture.serves(1)
            func told() throws -> AppState? { try device.appStates(now: Date())[Self.app] }
            let install = InstallApplication(
                identifier: Self.app, configuration: Self.configuration, takesOver: true)
            let report = try await order(install.request, "I", fixture)
            #expect(report.contents["State"] == .string("Managed"))
            let first = try #require(try told())
            #expect(first.managed && first.synchronised && first.defaults == Self.configuration.xml())
            #expect(first.configuration == nil)

            let other = PropertyListValue.dictionary(["url": .string("https://example.org")])
            let settings = AppSettings(items: [.configuration(app: Self.app, other)])
            _ = try await order(settings.request, "S", fixture)
            let second = try #require(try told())
            #expect(second.defaults == other.xml() && second.generation > first.generation)

            device.serveNothing()
            #expect(try told() == nil, "at the end of an enrollment nothing is told, whatever the disk says")
            device.serve(within: nil)
            #expect(try told() != nil)
        }
    }
}
