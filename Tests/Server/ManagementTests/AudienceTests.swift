import DeviceMessages
import Foundation
import InputBounds
import Management
import Testing

/// Which source of an app which devices get, and that devices which are given the same share a manifest.
struct AudienceTests {
    private let compiler = ManifestCompiler(baseURL: "https://mdm.example.com", organization: "Example")

    private func linux(_ system: String?, agent: String? = "1") -> DeviceAudience {
        DeviceAudience(
            platform: .linux, osVersion: system.flatMap { SystemVersion($0) },
            agentVersion: agent.flatMap { SystemVersion($0) })
    }

    private func manifest(
        _ sources: [AppSource], for audience: DeviceAudience, withConfiguration: Bool = false
    ) -> Manifest {
        let reference = AssignmentSnapshot.ConfigurationReference(
            sha256: String(repeating: "ab", count: 32), size: 42, encoding: .xml)
        let app = App(bundleIdentifier: "com.example.app", name: "A", teamIdentifier: "TEAM123456")
        let entry = AssignmentSnapshot.Entry(
            app: app, configuration: withConfiguration ? reference : nil, order: 1, sources: sources)
        return compiler.compile(AssignmentSnapshot(entries: [entry], changed: .distantPast), for: audience)
    }

    private func payload(_ manifest: Manifest) throws -> [String: JSONValue]? {
        guard let document = manifest.declarations["configuration/martlet.app.com.example.app"] else { return nil }
        return try Declaration(parsing: document).payload.object
    }

    private static let keys: Set = ["AppStoreID", "BundleID", "ManifestURL", "AppComposedIdentifier"]

    private static let package = AppSource(
        platform: .linux, location: .package(sha256: String(repeating: "ab", count: 32)),
        minimumOS: SystemVersion("13"), minimumAgent: SystemVersion("2"))
    private static let elsewhere = AppSource(
        platform: .linux, location: .manifest(url: "https://example.org/a.plist"), install: .optional,
        updates: .always, minimumOS: SystemVersion("12.5"))
    private static let store = AppSource(platform: .iOS, location: .appStore(id: "123", license: .user))
    private static let taken = AppSource(
        platform: .macOS, location: .installed(composed: "com.example.app {anchor apple}"))

    /// S4-PLAT-01, A01: one key says from where, whatever the device is and has said.
    @Test func aDeviceIsToldOfExactlyOneSource() throws {
        let sources = [Self.store, Self.elsewhere, Self.taken, Self.package]
        let audiences: [(DeviceAudience, JSONValue?)] = [
            (
                linux("13.1", agent: "2"),
                .string("https://mdm.example.com/packages/\(String(repeating: "ab", count: 32))/manifest.plist")
            ),
            (linux("13", agent: "1.9"), .string("https://example.org/a.plist")),
            (linux("12.10", agent: "9"), .string("https://example.org/a.plist")),
            (linux("12.4", agent: "9"), nil), (linux(nil, agent: "9"), nil),
            (DeviceAudience(platform: .iOS, osVersion: SystemVersion("18.4")), .string("123")),
            (DeviceAudience(platform: .iOS, osVersion: SystemVersion("17.1")), nil),
            (
                DeviceAudience(platform: .macOS, osVersion: SystemVersion("27")),
                .string("com.example.app {anchor apple}")
            ),
            (DeviceAudience(platform: .visionOS, osVersion: SystemVersion("26")), nil),
            (DeviceAudience(), .string("com.example.app (TEAM123456)")),
        ]
        for (audience, expected) in audiences {
            let manifest = manifest(sources, for: audience)
            let payload = try payload(manifest)
            let present = payload?.filter { Self.keys.contains($0.key) } ?? [:]
            #expect(present.count == (expected == nil ? 0 : 1), "\(audience)")
            #expect(present.values.first == expected, "\(audience)")
            #expect(manifest.withheld.isEmpty == (expected != nil), "\(audience)")
        }
    }

    @Test func aSourceSaysHowTheAppIsInstalledAndUpdated() throws {
        let elsewhere = try #require(try payload(manifest([Self.elsewhere], for: linux("13"))))
        #expect(elsewhere["InstallBehavior"] == .object(["Install": .string("Optional")]))
        #expect(elsewhere["UpdateBehavior"] == .object(["AutomaticAppUpdates": .string("AlwaysOn")]))
        let phone = DeviceAudience(platform: .iOS, osVersion: SystemVersion("18.4"))
        let store = try #require(try payload(manifest([Self.store], for: phone)))
        #expect(
            store["InstallBehavior"]
                == .object(["Install": .string("Required"), "License": .object(["Assignment": .string("User")])]))
        #expect(store["UpdateBehavior"] == nil)
    }

    /// S4-PLAT-01: the reason says what is missing and from which version on it would be there.
    @Test func whatADeviceIsNotGivenHasAReason() {
        func reason(_ sources: [AppSource], _ audience: DeviceAudience) -> Withheld.Reason? {
            manifest(sources, for: audience).withheld.first.flatMap { $0.subject == .app ? $0.reason : nil }
        }
        let thirteen = SystemVersion([13])
        #expect(reason([Self.package], linux("12", agent: "2")) == .systemTooOld(.linux, minimum: thirteen))
        #expect(reason([Self.package], linux(nil, agent: "2")) == .systemTooOld(.linux, minimum: thirteen))
        #expect(reason([Self.package], linux("13", agent: "1")) == .agentTooOld(minimum: SystemVersion([2])))
        #expect(reason([Self.package], linux("13", agent: nil)) == .agentTooOld(minimum: SystemVersion([2])))
        let headset = DeviceAudience(platform: .visionOS, osVersion: SystemVersion("26"))
        #expect(reason([Self.package], headset) == .noSource(.visionOS))
        #expect(reason([], headset) == .noSource(.visionOS))
        #expect(reason([], linux("1", agent: nil)) == nil)
    }

    /// S4-PLAT-01: below iOS 18.4 an app is managed, and its configuration is not sent.
    @Test func anOldSystemGetsTheAppWithoutItsConfiguration() throws {
        let old = DeviceAudience(platform: .iOS, osVersion: SystemVersion("18.3"))
        let manifest = manifest([Self.store], for: old, withConfiguration: true)
        #expect(try payload(manifest)?["AppConfig"] == nil)
        #expect(manifest.assets.isEmpty && !manifest.declarations.keys.contains { $0.hasPrefix("asset/") })
        #expect(
            manifest.withheld == [
                Withheld(
                    app: "com.example.app", subject: .configuration,
                    reason: .systemTooOld(.iOS, minimum: SystemVersion([18, 4])))
            ])
        let new = DeviceAudience(platform: .iOS, osVersion: SystemVersion("18.4"))
        #expect(try payload(self.manifest([Self.store], for: new, withConfiguration: true))?["AppConfig"] != nil)
    }

    /// Where nothing is said, the bytes are those of ever.
    @Test func withoutSourcesNothingChanges() throws {
        for audience in [DeviceAudience(), linux("12", agent: nil), DeviceAudience(platform: .macOS)] {
            #expect(
                manifest([], for: audience).declarations["configuration/martlet.app.com.example.app"]
                    == manifest([], for: DeviceAudience()).declarations["configuration/martlet.app.com.example.app"])
        }
    }

    /// An iPad says iPadOS, and gets what is meant for iOS.
    @Test(arguments: [
        ("Linux", DevicePlatform.linux), ("macOS", .macOS), ("iOS", .iOS), ("iPadOS", .iOS), ("visionOS", .visionOS),
        ("iPhone17,1", nil), ("linux", nil), ("", nil),
    ])
    func aSystemIsKnownByItsFamily(family: String, platform: DevicePlatform?) {
        let audience = DeviceAudience().learning(from: [DeviceAudience.family: .string(family)])
        #expect(audience.platform == platform)
    }

    @Test(arguments: [
        ("iPhone17,1", DevicePlatform.iOS), ("iPad14,3", .iOS), ("iPod9,1", .iOS), ("Mac14,2", .macOS),
        ("MacBookPro18,1", .macOS), ("iMac21,1", .macOS), ("VirtualMac2,1", .macOS), ("RealityDevice14,1", .visionOS),
        ("AppleTV14,1", nil), ("Debian GNU/Linux", nil),
    ])
    func aSystemIsKnownByItsProduct(product: String, platform: DevicePlatform?) {
        let message = Authenticate(identifier: Fixture.identifier("D1"), topic: "t", productName: product)
        #expect(DeviceAudience(message).platform == platform)
    }

    @Test(arguments: [
        ("13", "13.0", false), ("12.9", "12.10", true), ("9", "10", true), ("1.2.3", "1.2", false), ("0", "0.0", false),
    ])
    func versionsAreComparedNumberByNumber(left: String, right: String, isLess: Bool) throws {
        let (left, right) = (try #require(SystemVersion(left)), try #require(SystemVersion(right)))
        #expect((left < right) == isLess)
    }

    @Test func versionsOfDevicesAreReadAsFarAsTheyGo() {
        #expect(SystemVersion(saidBy: "26.1 (23B82)") == SystemVersion([26, 1]))
        #expect(SystemVersion(saidBy: "13") == SystemVersion([13]))
        #expect(SystemVersion(saidBy: "1.2.3.4.5") == SystemVersion([1, 2, 3, 4]))
        #expect(SystemVersion(saidBy: "trixie/sid") == nil && SystemVersion(saidBy: "") == nil)
        #expect(SystemVersion(saidBy: "99999999999999999999") == nil)
        #expect(SystemVersion("13 ") == nil && SystemVersion("1.2.3.4.5") == nil && SystemVersion("v1") == nil)
    }
}
