import DeviceMessages
import Foundation
import InputBounds
import Management
import Testing

/// What a device says of the apps that it has by command.
struct CommandedAppTests {
    private static let app = "com.example.old"

    /// The item is subscribed to where the device says the feature, and nowhere else.
    @Test(arguments: [nil, false, true]) func theItemIsSubscribedToWhereTheDeviceTellsIt(takes: Bool?) throws {
        let compiler = ManifestCompiler(baseURL: "https://mdm.example.com", organization: "Example")
        let snapshot = AssignmentSnapshot(entries: [], changed: Date(timeIntervalSince1970: 0))
        let manifest = compiler.compile(snapshot, for: DeviceAudience(platform: .linux, takesAppCommands: takes))
        let subscriptions = try #require(manifest.declarations["configuration/martlet.status"])
        let text = String(decoding: subscriptions, as: UTF8.self)
        #expect(text.contains("\"\(CommandedAppStatus.name)\"") == (takes == true))
    }

    @Test func aCommandsRuleAsksForWhoManages() {
        for type in ["InstallApplication", "RemoveApplication", "Settings", "ManagedApplicationFeedback"] {
            #expect(CommandRule.of(type).permission == .manage && CommandRule.of(type).acts, "\(type)")
        }
        for type in ["ManagedApplicationList", "ManagedApplicationAttributes", "ValidateApplications"] {
            #expect(CommandRule.of(type).permission == .help && !CommandRule.of(type).acts, "\(type)")
        }
    }

    /// They are state: each report changes what it names, a later server knows them, and the explanation tells them.
    @Test func whatTheDeviceSaysOfThemIsKeptAndExplained() async throws {
        let fixture = try Fixture()
        try await fixture.enrol()
        let capabilities = ClientCapabilities(
            supportedFeatures: [CommandedAppStatus.feature: .object([:])], declarations: [:], statusItems: [])
        var first = StatusReport()
        first.set(capabilities.value, at: ClientCapabilities.name)
        let other = CommandedAppStatus(identifier: "com.example.other", state: "managed")
        first.set(
            .array([CommandedAppStatus(identifier: Self.app, state: "managed").value, other.value, .object([:])]),
            at: CommandedAppStatus.name)
        #expect(try await fixture.ask(.status, data: first.encoded()) == .done)
        #expect(try await fixture.context().audience.takesAppCommands == true)
        var second = StatusReport()
        let configured = CommandedAppStatus(
            identifier: Self.app, version: "1.0", state: "managed", hasConfiguration: true, hasFeedback: true)
        second.set(
            .array([configured.value, CommandedAppStatus(identifier: other.identifier, removed: true).value]),
            at: CommandedAppStatus.name)
        #expect(try await fixture.ask(.status, data: second.encoded()) == .done)
        try fixture.restart()
        #expect(try await fixture.context().audience.takesAppCommands == true)
        #expect(try await fixture.management.commandedApps(of: "D1") == [configured])
        #expect(try await fixture.management.explain("D1").value?.commanded == [configured])
        // They are no apps of declarations.
        #expect(try await fixture.management.reportedApps(of: "D1").isEmpty)
    }
}
