import DeviceMessages
import Foundation
import InputBounds
import Management
import Synchronization
import Testing

/// Sources on a real store, and devices that say what they run.
struct AppSourceTests {
    private let fixture: Fixture
    private static let manifest = "https://example.org/a.plist"

    init() async throws {
        fixture = try Fixture()
        for number in 0..<4 { try await fixture.enrol("D\(number)", signer: Self.signer(number)) }
        try await fixture.assign()
    }

    private static func signer(_ number: Int) -> Data { Data(repeating: UInt8(20 + number), count: 32) }

    private func token(_ number: Int) async throws -> String {
        let device = try #require(await fixture.management.device("D\(number)"))
        return try await fixture.management.manifest(of: device).declarationsToken
    }

    private func say(_ number: Int, family: String? = nil, version: String? = nil, agent: String? = nil) async throws {
        var system: [String: JSONValue] = [:]
        if let family { system["family"] = .string(family) }
        if let version { system["version"] = .string(version) }
        var items: [String: JSONValue] = ["device": .object(["operating-system": .object(system)])]
        if let agent {
            let capabilities = ClientCapabilities(
                supportedFeatures: [MartletAgent.feature: .object(["Version": .string(agent)])], declarations: [:],
                statusItems: [])
            items["management"] = .object(["client-capabilities": capabilities.value])
        }
        let report = JSONValue.object(["StatusItems": .object(items), "Errors": .array([])])
        #expect(
            try await fixture.ask(.status, data: report.encoded(), device: "D\(number)", signer: Self.signer(number))
                == .done)
    }

    private func put(_ source: AppSource) async throws {
        _ = try #require(
            await fixture.management.putAppSource(source, of: "com.example.app", author: "admin").value)
    }

    private func declared(_ number: Int) async throws -> JSONValue? {
        try await fixture.document(
            .declaration(.configuration, identifier: "martlet.app.com.example.app"), device: "D\(number)",
            signer: Self.signer(number))?["Payload"]
    }

    /// D3: what counts is what devices are given, not what they run.
    @Test func devicesThatAreGivenTheSameShareAManifest() async throws {
        try await put(
            AppSource(platform: .linux, location: .manifest(url: Self.manifest), minimumOS: SystemVersion("13")))
        try await say(0, family: "Linux", version: "13.1")
        try await say(1, family: "Linux", version: "26.04")
        try await say(2, family: "Linux", version: "12")
        let tokens = [try await token(0), try await token(1), try await token(2), try await token(3)]
        #expect(tokens[0] == tokens[1])
        #expect(Set(tokens).count == 3)
        #expect(try await declared(0)?["ManifestURL"]?.string == Self.manifest)
        #expect(try await declared(2) == nil, "below the minimum")
        #expect(try await declared(3)?["AppComposedIdentifier"] != nil, "said nothing")
    }

    /// A report that moves a device wakes that device and no other.
    @Test func devicesOnBothSidesOfAnAgentsMinimumAreGivenWhatIsTheirs() async throws {
        try await put(
            AppSource(platform: .linux, location: .manifest(url: Self.manifest), minimumAgent: SystemVersion("2")))
        for (number, agent) in ["1.9", "2", "2.1"].enumerated() {
            try await say(number, family: "Linux", version: "13", agent: agent)
        }
        #expect(try await declared(0) == nil)
        #expect(try await declared(1)?["ManifestURL"]?.string == Self.manifest)
        let tokens = [try await token(0), try await token(1), try await token(2)]
        #expect(tokens[1] == tokens[2] && tokens[0] != tokens[1])
    }

    @Test(.timeLimit(.minutes(10))) func aMovedAudienceWakesThatDeviceAlone() async throws {
        try await put(
            AppSource(platform: .linux, location: .manifest(url: Self.manifest), minimumOS: SystemVersion("13")))
        var streams: [AsyncStream<Void>] = []
        for number in 0..<2 {
            try await say(number, family: "Linux", version: "12")
            _ = try await fixture.document(.declarationItems, device: "D\(number)", signer: Self.signer(number))
            let context = try await fixture.context("D\(number)", signer: Self.signer(number))
            #expect(try await !fixture.management.isBehind(context))
            streams.append(try await fixture.management.subscribe(context))
        }
        let other = try await token(1)
        try await say(0, version: "12.9")
        #expect(
            try await !fixture.management.isBehind(fixture.context("D0", signer: Self.signer(0))),
            "the minimum is still not met")
        try await say(0, version: "13")
        var first = streams[0].makeAsyncIterator()
        await first.next()
        #expect(try await fixture.management.isBehind(fixture.context("D0", signer: Self.signer(0))))
        #expect(try await declared(0)?["ManifestURL"]?.string == Self.manifest)
        #expect(try await token(1) == other)
        #expect(try await !fixture.management.isBehind(fixture.context("D1", signer: Self.signer(1))))
        try fixture.management.wakeHub.disconnect("D1")
        var second = streams[1].makeAsyncIterator()
        #expect(await second.next() == nil, "the other device was not woken")
    }

    /// A device that says less than before keeps what it has: removing the declaration would delete the app.
    @Test func whatADeviceSaidIsNotForgottenWhenItSaysLess() async throws {
        try await put(
            AppSource(
                platform: .linux, location: .manifest(url: Self.manifest), minimumOS: SystemVersion("13"),
                minimumAgent: SystemVersion("0.1")))
        try await say(0, family: "Linux", version: "13", agent: "0.1.0")
        let before = try await token(0)
        try await say(0, agent: nil)
        let again = Authenticate(identifier: Fixture.identifier("D0"), topic: "t", modelName: "m")
        #expect(try await fixture.management.checkIn(.authenticate(again), signer: Self.signer(0)) == .done)
        #expect(try await token(0) == before)
        try fixture.restart()
        #expect(try await token(0) == before)
        #expect(try await declared(0)?["ManifestURL"]?.string == Self.manifest)
    }

    /// Martlet's agent says at its check-in who it is: its first synchronization is for it already.
    @Test func anAgentIsKnownFromItsCheckIn() async throws {
        let message = Authenticate(
            identifier: Fixture.identifier("D0"), topic: "t", osVersion: "13", productName: "Debian GNU/Linux",
            agentVersion: "0.1.0")
        #expect(try await fixture.management.checkIn(.authenticate(message), signer: Self.signer(0)) == .done)
        let device = try #require(await fixture.management.device("D0"))
        #expect(
            device.audience
                == DeviceAudience(
                    platform: .linux, osVersion: SystemVersion("13"), agentVersion: SystemVersion("0.1")))
        let phone = Authenticate(
            identifier: Fixture.identifier("D1"), topic: "t", osVersion: "18.4.1", productName: "iPhone17,1")
        #expect(try await fixture.management.checkIn(.authenticate(phone), signer: Self.signer(1)) == .done)
        #expect(try await fixture.management.device("D1")?.audience.platform == .iOS)
    }

    /// A source for other devices changes nothing for these; an update check changes one token.
    @Test func tokensStayWhereNothingChanges() async throws {
        try await say(0, family: "Linux", version: "13")
        let before = try await token(0)
        try await put(AppSource(platform: .iOS, location: .appStore(id: "1", license: .device)))
        #expect(try await token(0) == before)
        let source = AppSource(platform: .linux, location: .manifest(url: Self.manifest))
        try await put(source)
        let after = try await token(0)
        #expect(after != before)
        try await put(source)
        #expect(try await token(0) == after)
        _ = try await fixture.management.requestUpdateCheck(of: "com.example.app", author: "admin")
        #expect(try await token(0) != after)
        #expect(
            try await fixture.management.removeAppSource(.linux, .manifest, of: "com.example.app", author: "admin")
                == nil)
        #expect(try await declared(0)?["AppComposedIdentifier"] != nil)
        #expect(
            try await fixture.management.removeAppSource(.linux, .manifest, of: "com.example.app", author: "admin")
                == .unknownAppSource)
    }

    /// S0-GEN-02, C05: an app of the public store, one that the store has for the organization alone, and in-house apps
    /// by a manifest or from the device itself are managed alike, and each has its configuration.
    @Test(arguments: [
        (AppSource(platform: .iOS, location: .appStore(id: "1528275430", license: .user)), "iOS", "AppStoreID"),
        (AppSource(platform: .iOS, location: .appStore(id: "6450000000", license: .device)), "iPadOS", "AppStoreID"),
        (AppSource(platform: .macOS, location: .appStore(id: "6450000000", license: .device)), "macOS", "AppStoreID"),
        (AppSource(platform: .iOS, location: .manifest(url: manifest)), "iOS", "ManifestURL"),
        (AppSource(platform: .visionOS, location: .manifest(url: manifest)), "visionOS", "ManifestURL"),
        (AppSource(platform: .linux, location: .manifest(url: manifest)), "Linux", "ManifestURL"),
        (AppSource(platform: .macOS, location: .installed(composed: nil)), "macOS", "AppComposedIdentifier"),
        (AppSource(platform: .linux, location: .installed(composed: nil)), "Linux", "AppComposedIdentifier"),
    ])
    func anAppOfEachOriginIsManagedAndConfigured(source: AppSource, family: String, key: String) async throws {
        try await put(source)
        try await say(0, family: family, version: "27")
        let payload = try #require(try await declared(0)?.object)
        let origins: Set = ["AppStoreID", "BundleID", "ManifestURL", "AppComposedIdentifier"]
        #expect(payload.keys.filter(origins.contains) == [key])
        #expect(payload["InstallBehavior"]?["Install"]?.string == "Required")
        let asset = try #require(payload["AppConfig"]?["DataAssetReference"]?.string)
        let data = try await fixture.document(
            .declaration(.asset, identifier: asset), device: "D0", signer: Self.signer(0))
        #expect(data?["Payload"]?["Reference"]?["DataURL"]?.string?.hasPrefix("https://mdm.example.com/") == true)
    }

    @Test func aSourceThatBreaksARuleIsRefused() async throws {
        let broken: [AppSource] = [
            AppSource(platform: .iOS, location: .package(sha256: String(repeating: "a", count: 64))),
            AppSource(platform: .macOS, location: .manifest(url: Self.manifest)),
            AppSource(platform: .linux, location: .appStore(id: "1", license: .device)),
            AppSource(platform: .visionOS, location: .installed(composed: nil)),
            AppSource(platform: .linux, location: .package(sha256: "AB")),
            AppSource(platform: .linux, location: .manifest(url: "http://example.org/a.plist")),
            AppSource(platform: .linux, location: .manifest(url: "https://user:pw@example.org/a.plist")),
            AppSource(platform: .linux, location: .manifest(url: "https:///a.plist")),
            AppSource(platform: .linux, location: .manifest(url: "https://example.org/a\u{a0}.plist")),
            AppSource(platform: .iOS, location: .appStore(id: "12x", license: .device)),
            AppSource(platform: .linux, location: .installed(composed: "org.other (TEAM123456)")),
            AppSource(platform: .linux, location: .installed(composed: "com.example.apps")),
            AppSource(platform: .linux, location: .installed(composed: "com.example.not (TEAM123456)")),
            AppSource(platform: .iOS, location: .appStore(id: "1", license: .user), minimumAgent: SystemVersion("1")),
            AppSource(platform: .linux, location: .manifest(url: Self.manifest), updates: .storeSettings),
        ]
        for source in broken {
            let refusal = try await fixture.management.putAppSource(source, of: "com.example.app", author: "a").refusal
            #expect(refusal?.kind == .invalid, "\(source)")
        }
        let package = AppSource(platform: .linux, location: .package(sha256: String(repeating: "a", count: 64)))
        #expect(
            try await fixture.management.putAppSource(package, of: "com.example.app", author: "a").refusal
                == .unknownPackage)
        #expect(
            try await fixture.management.putAppSource(package, of: "com.example.none", author: "a").refusal
                == .unknownApp)
    }
}
