import DeviceAgent
import DeviceMessages
import Foundation
import InputBounds
import Testing

/// Apps that are managed by command, and what a declaration makes of them: decided on the agent's state alone.
struct CommandedAppTests {
    private static let app = CommandedDevice.app
    private static let configuration = PropertyListValue.dictionary(["url": .string("https://example.com")])
    private static let install = InstallApplication(
        manifestURL: CommandedDevice.url, configuration: configuration
    ).request
    private let now = Date(timeIntervalSince1970: 1_800_000_000)

    private func sentence(_ report: CommandReport) -> String { report.errorChain.first?.localizedDescription ?? "" }

    // MARK: - Installing

    @Test func anAppIsInstalledWithoutADeclaration() throws {
        var device = CommandedDevice()
        let report = try device.run(Self.install)
        #expect(report.status == .acknowledged)
        #expect(report.contents["Identifier"] == .string(Self.app) && report.contents["State"] == .string("Queued"))
        #expect(InstallPlan.next(device.state, .init(), now: now) == .install(bundle: Self.app))
        #expect(device.state.applied.apps.isEmpty)

        try device.install(Self.configuration)
        #expect(InstallPlan.next(device.state, .init(), now: now) == nil)
        #expect(
            device.told() == [
                CommandedAppStatus(
                    identifier: Self.app, name: "Name", version: "2", state: "managed", hasConfiguration: true,
                    configuration: Self.configuration.xml().digest)
            ])
    }

    /// What the app finds at its first launch is one change with the order to install it.
    @Test func theConfigurationIsThereBeforeTheApp() throws {
        var device = CommandedDevice()
        let generation = device.state.applied.generation
        _ = try device.run(Self.install)
        let digest = Self.configuration.xml().digest
        #expect(device.state.installed.isEmpty && device.state.managed[Self.app]?.defaults == digest)
        #expect(device.state.blobDigests.contains(digest))
        #expect(device.state.applied.generation > generation, "apps that run hear of something newer")
    }

    /// What the command does not say of an app that is managed already stays, and its manifest is looked at anew.
    @Test func anotherInstallationIsAnUpdate() throws {
        var device = CommandedDevice()
        try device.install(Self.configuration, flags: 5)
        let report = try device.run(InstallApplication(manifestURL: CommandedDevice.url).request)
        #expect(report.contents["State"] == .string("Updating"))
        #expect(device.state.commanded[Self.app]?.configuration == Self.configuration.xml().digest)
        #expect(device.state.commanded[Self.app]?.flags == 0)
        #expect(InstallPlan.next(device.state, .init(), now: now) == .install(bundle: Self.app))

        try device.install()
        _ = try device.run(InstallApplication(identifier: Self.app).request)
        #expect(device.state.installations[Self.app]?.isAsked == true)
        #expect(InstallPlan.next(device.state, .init(), now: now) == .install(bundle: Self.app))
    }

    private static let refused: [(InstallApplication, ManifestResult?, String)] = [
        (InstallApplication(storeIdentifier: 7), nil, "NotSupported"),
        (InstallApplication(identifier: "com.example.absent"), nil, "NotSupported"),
        (
            InstallApplication(manifestURL: CommandedDevice.url),
            ManifestResult.refused(.download("the server answered 404")), "CouldNotVerifyAppID"
        ),
        (
            InstallApplication(identifier: "com.example.another", manifestURL: CommandedDevice.url), nil,
            "CouldNotVerifyAppID"
        ),
        (
            InstallApplication(
                manifestURL: CommandedDevice.url, attributes: .dictionary(["VPNUUID": .string("a")])),
            nil, "Other"
        ),
    ]

    @Test(arguments: refused)
    func whatCannotBeInstalledIsRefusedInTheProtocolsWords(
        request: InstallApplication, manifest: ManifestResult?, word: String
    ) throws {
        var device = CommandedDevice()
        let report = try device.run(request.request, manifest: manifest)
        #expect(report.status == .error && report.contents["RejectionReason"] == .string(word))
        #expect(device.state == AgentState(udid: "U"), "a command that fails changes nothing")
    }

    @Test func anAppThatIsThereIsTakenOverOnlyIfThatIsSaid() throws {
        var device = CommandedDevice()
        device.others = [Self.app]
        let refused = try device.run(InstallApplication(identifier: Self.app).request)
        #expect(refused.contents["RejectionReason"] == .string("AppAlreadyInstalled"))
        #expect(device.state.commanded.isEmpty)
        let taken = try device.run(InstallApplication(identifier: Self.app, takesOver: true).request)
        #expect(taken.contents["State"] == .string("Managed"))
        #expect(device.state.commanded[Self.app] == CommandedApp())
        #expect(InstallPlan.next(device.state, .init(), now: now) == nil, "it is managed where it is")
    }

    @Test func nothingOfThePersonsOwnIsTakenOver() throws {
        var device = CommandedDevice()
        device.others = [Self.app]
        device.state.enrollment = Enrollment(
            origin: "https://h:1", codeDigest: "c", roots: [], profile: Data(), key: KeptKey(pem: "KEY"), token: Data(),
            pushMagic: "m", kind: .account, enrollmentID: "E")
        let report = try device.run(InstallApplication(identifier: Self.app, takesOver: true).request)
        #expect(report.contents["RejectionReason"] == .string("ManagementChangeNotSupported"))
        #expect(device.state.commanded.isEmpty)
    }

    @Test func withoutTheRightOverAppsNothingIsDone() throws {
        var device = CommandedDevice()
        try device.install()
        let before = device.state
        device.rights = AccessRights.all - AccessRights.apps
        let settings = AppSettings(items: [.configuration(app: Self.app, nil)])
        for request in [
            Self.install, RemoveApplication(identifier: Self.app).request, settings.request, AppQuery(.list).request,
        ] {
            #expect(try device.run(request).status == .error)
        }
        #expect(device.state == before)
    }

    // MARK: - Declarations

    /// A declaration takes an app over: the app stays, what commands have given it does not.
    @Test(arguments: [CommandedDevice.url, nil])
    func aDeclarationTakesOver(manifest: String?) throws {
        var device = CommandedDevice()
        try device.install(Self.configuration, flags: 1)
        device.declare(by: manifest)
        #expect(device.state.commanded.isEmpty && device.state.installed[Self.app] != nil)
        #expect(device.state.leaving.isEmpty)
        #expect(!device.state.blobDigests.contains(Self.configuration.xml().digest))
        #expect(device.state.managed[Self.app]?.declarationIdentifier == "cfg")
        #expect(device.told().isEmpty)
        let list = try device.run(AppQuery(.list).request)
        #expect(list.contents["ManagedApplicationList"] == .dictionary([:]))
    }

    @Test func noCommandReachesADeclaredApp() throws {
        var device = CommandedDevice()
        device.declare()
        let before = device.state
        for request in [
            Self.install, InstallApplication(identifier: Self.app).request,
            RemoveApplication(identifier: Self.app).request,
        ] {
            let report = try device.run(request)
            #expect(report.status == .error && sentence(report).contains("managed by a declaration"))
        }
        let settings = AppSettings(items: [.configuration(app: Self.app, Self.configuration)])
        let result = try device.run(settings.request).contents["Settings"]?.array?.first
        #expect(result?["Status"] == .string("Error"))
        #expect(device.state == before)
        for kind in AppQuery.Kind.allCases where kind != .validate && kind != .list {
            let report = try device.run(AppQuery(kind, identifiers: [Self.app]).request)
            #expect(report.contents.dictionary?.values.first == .array([]))
        }
    }

    // MARK: - Removing

    @Test func aRemovedAppLeavesWithAllItKept() throws {
        var device = CommandedDevice()
        try device.install(Self.configuration)
        let remove = RemoveApplication(identifier: Self.app).request
        #expect(try device.run(remove).status == .acknowledged)
        #expect(
            device.state.leaving == [LeavingApp(bundleIdentifier: Self.app, directory: "d", reason: .removed)])
        #expect(device.state.commanded.isEmpty && device.state.installations.isEmpty)
        #expect(device.state.blobDigests.isEmpty)
        let again = try device.run(remove)
        #expect(again.status == .error && sentence(again).contains("managed by command"))
    }

    @Test func whatTheAgentHasNotInstalledItDoesNotRemove() throws {
        var device = CommandedDevice()
        device.others = [Self.app]
        _ = try device.run(InstallApplication(identifier: Self.app, takesOver: true).request)
        let report = try device.run(RemoveApplication(identifier: Self.app).request)
        #expect(report.status == .error && device.state.commanded[Self.app] != nil)
    }

    /// With ManagementFlags 1 the app leaves with the enrollment; without it the app stays unmanaged.
    @Test(arguments: [0, 1, 4, 5])
    func atTheEndOfTheEnrollmentTheFlagsSayWhatBecomesOfTheApp(flags: Int) throws {
        var device = CommandedDevice()
        try device.install(Self.configuration, flags: flags)
        device.state.unenroll()
        let leaves = flags & 1 != 0
        #expect(device.state.commanded.isEmpty && device.state.blobDigests.isEmpty)
        #expect((device.state.installed[Self.app] == nil) == leaves)
        #expect(device.state.leaving.map(\.bundleIdentifier) == (leaves ? [Self.app] : []))
        // And it stays at the next enrollment.
        device.state.settle()
        #expect((device.state.installed[Self.app] == nil) == leaves)
    }

    // MARK: - Settings and questions

    @Test func settingsChangeEachWhatItSays() throws {
        var device = CommandedDevice()
        try device.install()
        let attributes = PropertyListValue.dictionary(["Removable": .boolean(false)])
        let report = try device.run(
            AppSettings(items: [
                .configuration(app: Self.app, Self.configuration), .other("DeviceName"),
                .configuration(app: "com.example.absent", nil), .attributes(app: Self.app, attributes),
                .attributes(app: Self.app, .dictionary(["VPNUUID": .string("a")])),
            ]).request)
        #expect(report.status == .acknowledged)
        let results = report.contents["Settings"]?.array ?? []
        #expect(
            results.map { $0["Status"]?.string } == ["Acknowledged", "Error", "Error", "Acknowledged", "Error"])
        #expect(results.map { $0["Identifier"]?.string }[2] == "com.example.absent")
        let told = results.last?["ErrorChain"]?.array?.first?["LocalizedDescription"]?.string
        #expect(told?.contains("VPNUUID") == true)
        let app = try #require(device.state.commanded[Self.app])
        #expect(app.configuration == Self.configuration.xml().digest)
        #expect(app.attributeValues == attributes && !app.isRemovable)

        let none = AppSettings(items: [.configuration(app: Self.app, nil), .attributes(app: Self.app, nil)])
        _ = try device.run(none.request)
        #expect(device.state.commanded[Self.app]?.configuration == nil)
        #expect(device.state.commanded[Self.app]?.isRemovable == true)
    }

    @Test func questionsAreAnsweredAsTheProtocolSays() throws {
        var device = CommandedDevice()
        try device.install(Self.configuration, flags: 4)
        let life = AppFeedbackStatus(life: "1", app: Self.app, feedback: Data(), from: now, to: now)
        device.feedback[Self.app] = KnownFeedback(present: life)
        let list = try device.run(AppQuery(.list).request).contents["ManagedApplicationList"]?[Self.app]
        #expect(list?["Status"] == .string("Managed") && list?["ManagementFlags"] == .integer(4))
        #expect(list?["HasConfiguration"] == .boolean(true) && list?["HasFeedback"] == .boolean(true))
        let asked = [Self.app, "com.example.absent", Self.app]
        let configurations = try device.run(AppQuery(.configuration, identifiers: asked).request)
        #expect(
            configurations.contents["ApplicationConfigurations"]
                == .array([.dictionary(["Identifier": .string(Self.app), "Configuration": Self.configuration])]))
        let attributes = try device.run(AppQuery(.attributes, identifiers: asked).request)
        #expect(
            attributes.contents["ApplicationAttributes"]
                == .array([.dictionary(["Identifier": .string(Self.app)])]))
        #expect(try device.run(AppQuery(.validate).request).status == .error, "it would have no effect")
    }

    // MARK: - The kept state

    @Test func theStateIsKeptAndAnOlderOneIsRead() throws {
        var device = CommandedDevice()
        try device.install(Self.configuration, flags: 1)
        device.state.answeredLives = ["1"]
        let encoded = try JSONEncoder().encode(device.state)
        #expect(try JSONDecoder().decode(AgentState.self, from: encoded) == device.state)
        var object = try #require(try JSONSerialization.jsonObject(with: encoded) as? [String: Any])
        object["commanded"] = nil
        object["answeredLives"] = nil
        let earlier = try JSONDecoder().decode(
            AgentState.self, from: JSONSerialization.data(withJSONObject: object))
        #expect(earlier.commanded.isEmpty && earlier.answeredLives.isEmpty)
        #expect(earlier.installed == device.state.installed)
    }

    /// An older copy brings neither a configuration back nor an app that was removed since.
    @Test func anOlderCopyBringsNothingBack() throws {
        var device = CommandedDevice()
        try device.install(Self.configuration, flags: 1)
        let older = device.state
        let none = AppSettings(items: [.configuration(app: Self.app, nil)])
        _ = try device.run(none.request)
        #expect(older.isSuperseded(by: device.state))
        var restored = older
        restored.forgetWhatMayBeOld()
        #expect(restored.commanded[Self.app] == CommandedApp(flags: 1) && restored.blobDigests.isEmpty)
        restored.settle()
        #expect(restored.installed[Self.app] != nil && restored.leaving.isEmpty)
        #expect(InstallPlan.next(restored, .init(), now: now) == nil)
    }
}
