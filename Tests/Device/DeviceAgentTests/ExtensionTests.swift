import AppMessages
import AppPackages
import DeviceMessages
import Foundation
import InputBounds
import Testing

@testable import DeviceAgent

/// Extensions of apps: each has its own, and restricted ones have nothing before they are granted full access.
///
/// A13.
@Suite(.timeLimit(.minutes(10)))
struct ExtensionTests {
    private static let tunnel = Fixture.app + ".tunnel"
    private static let keyboard = Fixture.app + ".keys"
    private static let contents: [String: SecretContent] = ["d1": .password("host's"), "d2": .password("tunnel's")]

    private func state(_ text: String?, _ secret: String?, _ digest: String = "", team: String? = nil) -> AppState {
        let secrets = AppSecrets(secret.map { [.init(.password, $0, digest: digest)] } ?? [])
        return AppState(
            managed: true, synchronised: true, configuration: text.map { Data($0.utf8) }, secrets: secrets,
            lowestTrust: .shared, team: team)
    }

    private func states(access: Set<ExtensionName> = [], team: String? = nil) -> AppStates {
        AppStates(
            apps: [Fixture.app: state("host", "host", "d1", team: team)],
            extensions: [
                ExtensionName(app: Fixture.app, identifier: Self.tunnel): state("tunnel", "tunnel", "d2", team: team),
                ExtensionName(app: Fixture.app, identifier: Self.keyboard): state("keys", nil, team: team),
            ], fullAccess: access)
    }

    private func identity(
        _ name: String, restricted: Bool = false, of app: String = Fixture.app, team: String? = nil
    ) -> AppIdentity {
        AppIdentity(name, role: ExtensionRole(app: app, isRestricted: restricted), signedBy: team)
    }

    // MARK: - States of apps and extensions

    /// S4-CAP-01, S4-VPN-03, S1-MGD-02: nothing of one is the other's, and what the app is, the extension is.
    @Test func appAndExtensionHaveNothingOfEachOther() {
        let states = states()
        #expect(states[AppIdentity(Fixture.app, signedBy: nil)].configuration == Data("host".utf8))
        let own = states[identity(Self.tunnel)]
        #expect(own.configuration == Data("tunnel".utf8) && own.secrets.digest(.password, "tunnel") == "d2")
        #expect(!own.secrets.names(.password, "host"))
        // One for which nothing is meant is managed, as its app is, and has nothing.
        let bare = states[identity(Fixture.app + ".share")]
        #expect(bare.managed && bare.configuration == nil && bare.secrets.isEmpty && !bare.needsFullAccess)
        // An app of an extension's identifier is another app, and so is an extension of another app.
        #expect(states[AppIdentity(Self.tunnel, signedBy: nil)] == .unmanaged)
        #expect(states[identity(Self.tunnel, of: "com.example")] == .unmanaged)
    }

    @Test func anExtensionOfAnotherTeamIsTheExtensionOfAnAppThatNobodyManages() {
        let states = states(team: "TEAM123456")
        for team in [nil, "OTHER12345"] {
            let told = states[identity(Self.tunnel, team: team)]
            #expect(!told.managed && told.configuration == nil && told.secrets.isEmpty)
        }
        #expect(states[identity(Self.tunnel, team: "TEAM123456")].managed)
    }

    /// S4-EXT-02, S4-EXT-03: assigned or not, it has nothing; granted full access, it has what is meant for it.
    @Test func aRestrictedExtensionHasNothingWithoutFullAccess() {
        let name = ExtensionName(app: Fixture.app, identifier: Self.keyboard)
        let keyboard = identity(Self.keyboard, restricted: true)
        let shut = states()[keyboard]
        #expect(shut.managed && shut.configuration == nil && shut.needsFullAccess)
        let open = states(access: [name])[keyboard]
        #expect(open.configuration == Data("keys".utf8) && !open.needsFullAccess)
        // Access is granted to one extension of one app.
        let other = ExtensionName(app: "com.example", identifier: Self.keyboard)
        #expect(states(access: [other])[keyboard].configuration == nil)
    }

    /// The composed identifier is preferred, and the team that it names is held to.
    @Test func whatIsMeantForAnExtensionIsFoundByItsComposedIdentifier() {
        var app = AppliedApp(composedIdentifier: "com.example.app (A)", declarationIdentifier: "d")
        app.extensions = ["com.example.app.x": "1", "com.example.app.x (A)": "2", "com.example.app.x (B)": "3"]
        app.extensionSecrets = ["com.example.app.y (C)": [.init(.password, "p", digest: "4")]]
        func key(_ team: String?) -> String? { app.extensionKeys(signedBy: team)["com.example.app.x"]?.text }
        #expect(key(nil) == "com.example.app.x (A)")
        #expect(key("B") == "com.example.app.x (B)")
        #expect(app.extensionKeys(signedBy: nil)["com.example.app.y"]?.team == "C")
    }

    // MARK: - Over the socket, with real processes

    private func bundle(_ fixture: Fixture, _ script: String, restricted: Bool = false) throws -> AppBundle {
        let plain = try Fixture.bundle(fixture.root, script)
        return AppBundle(
            directory: plain.directory, identifier: restricted ? Self.keyboard : Self.tunnel, name: "X", version: "1",
            shortVersion: "1", executable: plain.executable,
            role: ExtensionRole(app: Fixture.app, isRestricted: restricted))
    }

    private static func asking(_ method: String, _ parameters: String = "{}", more: Bool = false) -> String {
        let call = #"{"method":"dev.martlet.App.\#(method)","more":\#(more),"parameters":\#(parameters)}"#
        return "printf '\(call)\\000' >&3; dd bs=4096 count=1 <&3 2>&-"
    }

    private func refusals(_ fixture: Fixture, _ reason: AppRefusal) -> Int? {
        ControlCommand.refusals(controlPath: fixture.root.appending(path: "control.sock").path)?[reason.rawValue]
    }

    /// An extension asks for its host's secret, and the reverse: refused as if there were none, and counted.
    @Test func aSecretOfTheOtherIsRefusedAndCounted() async throws {
        let fixture = try Fixture(secrets: Self.contents)
        fixture.service.update(states())
        let own = Self.asking("GetPassword", #"{"identifier":"tunnel"}"#)
        let hosts = Self.asking("GetPassword", #"{"identifier":"host"}"#)
        let none = Self.asking("GetPassword", #"{"identifier":"none"}"#)
        #expect(try await fixture.run(bundle(fixture, own)).contains(#""password":"tunnel's""#))
        #expect(try await fixture.run(hosts).contains(#""password":"host's""#))
        #expect(refusals(fixture, .notItsOwn) == 0)
        let refused = [
            try await fixture.run(bundle(fixture, hosts)), try await fixture.run(own),
            try await fixture.run(bundle(fixture, none)),
        ]
        #expect(Set(refused).count == 1 && refused[0].contains("dev.martlet.App.InvalidIdentifier"), "\(refused)")
        #expect(refusals(fixture, .notItsOwn) == 2)
    }

    @Test func aRestrictedExtensionThatAsksInVainIsCounted() async throws {
        let fixture = try Fixture(secrets: Self.contents)
        fixture.service.update(states())
        let watch = try bundle(fixture, Self.asking("WatchConfiguration", more: true), restricted: true)
        let told = try await fixture.run(watch)
        #expect(told.contains(#""needsFullAccess":true"#) && told.contains(#""managed":true"#), "\(told)")
        #expect(!told.contains(#""configuration":""#))
        #expect(refusals(fixture, .restricted) == 1)
        let name = ExtensionName(app: Fixture.app, identifier: Self.keyboard)
        fixture.service.update(states(access: [name]))
        let granted = try await fixture.run(watch)
        #expect(granted.contains(#""configuration":"\#(Data("keys".utf8).base64EncodedString())""#), "\(granted)")
        #expect(refusals(fixture, .restricted) == 1)
    }

    /// Files are the same grant in another form.
    @Test func filesOfAnExtensionAreItsOwn() async throws {
        let fixture = try Fixture(secrets: Self.contents)
        let list = "<plist version=\"1.0\"><dict><key>a</key><string>tunnel</string></dict></plist>"
        fixture.service.update(
            AppStates(
                apps: [Fixture.app: state(nil, "host", "d1")],
                extensions: [ExtensionName(app: Fixture.app, identifier: Self.tunnel): state(list, "tunnel", "d2")]))
        let said = try await fixture.run(
            bundle(fixture, "cd \"$MARTLET_FILES\" && cat configuration.json && ls secrets/password"), wantsFiles: true)
        #expect(said == "{\"a\":\"tunnel\"}tunnel\n", "\(said)")
    }

    /// Which programs run as whom: an extension is one program, and the app is not what it only contains.
    @Test func noProgramRunsAsAnotherOfItsPackage() throws {
        try withPackage { root in
            let app = try #require(AppCatalog.scan([root.path]).first)
            #expect(app.extensions.map(\.identifier) == [Self.tunnel, Self.keyboard])
            #expect(app.extensions.map(\.isRestricted) == [false, true], "keyboards are, whatever is said")
            let tunnel = try #require(app.extensions.first.map(app.bundle))
            #expect(tunnel.role?.app == Fixture.app && tunnel.executable.hasSuffix("/Extensions/tunnel"))
            func runs(_ program: String, as bundle: AppBundle) -> Bool {
                AppProgram.path(program, of: bundle, orAny: false, searching: nil) != nil
            }
            #expect(runs("App", as: app) && runs("tool", as: app))
            #expect(!runs("Extensions/tunnel", as: app))
            #expect(runs("Extensions/tunnel", as: tunnel))
            #expect(!runs("App", as: tunnel) && !runs("tool", as: tunnel) && !runs("Extensions/keys", as: tunnel))
        }
    }

    /// What is written badly costs an app under development its extensions, not itself.
    @Test func anExtensionWhoseProgramIsMissingIsNone() throws {
        try withPackage { root in
            try FileManager.default.removeItem(at: root.appending(path: "A.app/Extensions/keys"))
            #expect(AppCatalog.scan([root.path]).first?.extensions.map(\.identifier) == [Self.tunnel])
        }
    }

    private func withPackage(_ body: (URL) throws -> Void) throws {
        let root = try Fixture.directory()
        defer { try? FileManager.default.removeItem(at: root) }
        let app = root.appending(path: "A.app")
        try FileManager.default.createDirectory(
            at: app.appending(path: "Extensions"), withIntermediateDirectories: true)
        for program in ["App", "tool", "Extensions/tunnel", "Extensions/keys"] {
            let file = app.appending(path: program)
            try Data("#!/bin/sh\n".utf8).write(to: file)
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: file.path)
        }
        func one(_ name: String, _ kind: String, _ program: String) -> [String: Any] {
            [
                "CFBundleIdentifier": name, "NSExtensionPointIdentifier": kind,
                "CFBundleExecutable": "Extensions/" + program, "MartletRestricted": false,
            ]
        }
        let information: [String: Any] = [
            "CFBundleIdentifier": Fixture.app, "CFBundleExecutable": "App",
            "MartletExtensions": [
                one(Self.tunnel, "com.apple.networkextension.packet-tunnel", "tunnel"),
                one(Self.keyboard, "com.apple.keyboard-service", "keys"),
            ],
        ]
        try PropertyListSerialization.data(fromPropertyList: information, format: .xml, options: 0)
            .write(to: app.appending(path: "Info.plist"))
        try body(root)
    }

    // MARK: - What the device keeps and says

    private static let facts = DeviceFacts(
        hostName: "host", systemName: "Debian", systemVersion: "12", kernelVersion: "6.1", modelName: "Model",
        model: "M1", machineUUID: "MACHINE")

    /// S4-EXT-03: granted at the device, kept over restarts, taken back, and gone with the app or the enrollment.
    @Test func fullAccessIsGrantedByNameAndKept() throws {
        try withPackage { root in
            let steps = MemorySteps()
            func device() throws -> Device {
                try Device(
                    directory: "/d", appDirectories: [root.path], facts: Self.facts, namesMachine: false, steps: steps)
            }
            let first = try device()
            let name = ExtensionName(app: Fixture.app, identifier: Self.keyboard)
            func set(_ bundle: String, _ on: Bool) throws -> AppAnswer {
                try first.answer(.setFullAccess(bundleIdentifier: bundle, isGranted: on)).answer
            }
            guard case .refused = try set(Self.tunnel, true), case .refused = try set("com.example.none", true) else {
                Issue.record("full access was granted to what does not need it")
                return
            }
            #expect(try set(Self.keyboard, true) == .accepted)
            #expect(try device().known.fullAccess == [name])
            guard case .apps(let apps) = try first.answer(.list).answer else { return }
            #expect(apps.first?.extensions?.map(\.hasFullAccess) == [true, false], "by identifier")
            #expect(first.program(Self.keyboard)?.role == ExtensionRole(app: Fixture.app, isRestricted: true))
            #expect(try set(Self.keyboard, false) == .accepted)
            #expect(try device().known.fullAccess.isEmpty)
            #expect(try set(Self.keyboard, true) == .accepted)
            try first.change { $0.unenroll() }
            #expect(first.known.fullAccess.isEmpty)
        }
    }

    /// S4-EXT-02: the administrator reads of each extension what became of its configuration, and why it has none.
    @Test func theServerIsToldOfEachExtension() throws {
        try withPackage { root in
            let bundle = try #require(AppCatalog.scan([root.path]).first)
            var state = AgentState(udid: "U")
            var app = AppliedApp(composedIdentifier: "\(Fixture.app) (T)", declarationIdentifier: "d")
            app.extensions = ["\(Self.tunnel) (T)": "v1", "\(Self.keyboard) (T)": "v2"]
            state.applied.apps[Fixture.app] = app
            state.applied.subscriptions = [AppStatus.name]
            func status() throws -> AppStatus {
                let standing = AppStanding(
                    app, of: Fixture.app, in: state, present: bundle, progress: nil, separatesData: false)
                let items = StatusItems(
                    state, apps: [bundle], standings: [Fixture.app: standing], facts: Self.facts, appUsers: .own)
                return try AppStatus(try #require(items.values[AppStatus.name]?.array?.first))
            }
            #expect(try status().configState?.extensions == [Self.tunnel: "unknown", Self.keyboard: "unknown"])
            #expect(try status().configState?.app == nil)
            #expect(try status().reasons.map(\.code) == ["Info.FullAccessNeeded"])
            state.heard(report(Self.tunnel, "v1", valid: false))
            state.heard(report(nil, "v1", valid: true))
            #expect(try status().configState?.extensions == [Self.tunnel: "invalid", Self.keyboard: "unknown"])
            let refusal = try #require(try status().reasons.first { $0.code == "Error.ConfigurationRefused" })
            #expect(refusal.details?["Extension"]?.string == Self.tunnel)
            state.fullAccess = [ExtensionName(app: Fixture.app, identifier: Self.keyboard)]
            state.heard(report(Self.keyboard, "v2", valid: true))
            #expect(try status().reasons.map(\.code) == ["Error.ConfigurationRefused"])
            #expect(try status().configState?.extensions[Self.keyboard] == "valid")
        }
    }

    private func report(_ name: String?, _ version: String, valid: Bool) -> ConfigurationReport {
        ConfigurationReport(
            bundleIdentifier: Fixture.app, extension: name, version: version, valid: valid,
            at: Date(timeIntervalSince1970: 0))
    }

    /// What is kept of an app is read again as it was, the trust that its secrets need included.
    @Test func whatIsKeptOfAnAppIsReadAgainAsItWas() throws {
        var app = AppliedApp(composedIdentifier: "a.b (T)", declarationIdentifier: "d", configuration: "1")
        app.lowestTrust = .shared
        app.extensions = ["a.b.c (T)": "2"]
        app.extensionSecrets = ["a.b.c (T)": [.init(.password, "p", digest: "3")]]
        app.extensionAbsences = ["a.b.c (T)": [.init(.identity, "i", .server)]]
        #expect(try JSONDecoder().decode(AppliedApp.self, from: try JSONEncoder().encode(app)) == app)
    }
}
