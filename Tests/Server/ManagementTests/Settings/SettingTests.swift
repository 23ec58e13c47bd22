import DeviceMessages
import Foundation
import InputBounds
import MadeRoots
import Management
import StoreSQLite
import Synchronization
import Testing
import Waiting

/// Settings on a real store, and devices that say what they take.
struct SettingTests {
    private static let kind = "root-certificate"
    private let fixture: Fixture
    private let pem: String

    init() async throws {
        fixture = try Fixture()
        pem = try MadeRoot.pem("Example Root")
        try await fixture.enrol()
        try await fixture.assign()
    }

    private var management: Management {
        get throws { try fixture.management }
    }

    private func set(_ name: String, _ pem: String, isDryRun: Bool = false) async throws -> MadeSetting {
        try #require(
            await management.setSetting(
                kind: Self.kind, name: name, payload: MadeRoot.payload(pem), isDryRun: isDryRun, author: "admin"
            ).value)
    }

    private func assign(_ name: String, to group: String = "all") async throws {
        _ = try #require(
            await management.assignSetting(kind: Self.kind, name: name, to: group, author: "admin").value)
    }

    /// The device says which types of configurations it takes.
    private func say(
        _ types: [String], device: String = "D1", signer: Data = Fixture.signer
    ) async throws {
        let capabilities = ClientCapabilities(declarations: [.configuration: types], statusItems: [])
        let report = JSONValue.object([
            "StatusItems": .object(["management": .object(["client-capabilities": capabilities.value])]),
            "Errors": .array([]),
        ])
        #expect(try await fixture.ask(.status, data: report.encoded(), device: device, signer: signer) == .done)
    }

    private func declared(_ name: String) async throws -> JSONValue? {
        try await fixture.document(
            .declaration(.configuration, identifier: "martlet.setting.root-certificate.\(name)"))
    }

    private func explained() async throws -> ExplainedSetting? {
        try #require(await management.explain("D1").value).settings.first
    }

    private func token() async throws -> String {
        let device = try #require(await management.device("D1"))
        return try await management.manifest(of: device).declarationsToken
    }

    /// From the payload to the bytes that a device downloads.
    @Test func aDeviceOfTheGroupGetsTheCertificate() async throws {
        try await say([CertificateConfiguration.type, "com.example.unknown"])
        let made = try await set("corp", pem)
        #expect(made.setting.version == 1 && !made.isUnchanged)
        try await assign("corp")
        let asset = try #require(try await declared("corp")?["Payload"]?["CredentialAssetReference"]?.string)
        let document = try await fixture.document(.declaration(.asset, identifier: asset))
        let sha256 = try #require(document?["Payload"]?["Reference"]?["Hash-SHA-256"]?.string)
        let file = try #require(await management.asset(sha256: sha256, for: fixture.context()))
        #expect(try file.bytes == MadeRoot.der(of: pem) && file.mediaType == "application/pkcs1")
        #expect(try await explained()?.outcome == .given)
        #expect(try await explained()?.assignments.map(\.group) == ["all"])
    }

    /// What it was told of can still be fetched after the setting changed.
    @Test func aDeviceInTheMiddleOfItsSyncGetsWhatItWasToldOf() async throws {
        try await say([CertificateConfiguration.type])
        _ = try await set("corp", pem)
        try await assign("corp")
        _ = try await fixture.document(.declarationItems)
        let sha256 = Fixture.sha256(try MadeRoot.der(of: pem))
        _ = try await set("corp", try MadeRoot.pem("Another"))
        try await fixture.store.prune(Retention(), now: MadeRoot.now + 60)
        #expect(try await management.asset(sha256: sha256, for: fixture.context()) != nil)
    }

    /// S4-PLAT-01: what a device has not said it takes is not sent; once it says so it is told.
    @Test func aDeviceThatDoesNotTakeTheTypeIsNotSentIt() async throws {
        let before = try await token()
        _ = try await set("corp", pem)
        try await assign("corp")
        #expect(try await declared("corp") == nil)
        #expect(try await explained()?.outcome == .withheld(.untold([CertificateConfiguration.type])))
        try await say(["com.apple.configuration.app.managed"])
        #expect(try await declared("corp") == nil)
        #expect(try await explained()?.outcome == .withheld(.unsupported([CertificateConfiguration.type])))
        #expect(try await token() == before)
        try await say([CertificateConfiguration.type])
        #expect(try await declared("corp") != nil)
    }

    @Test func theSamePayloadAgainChangesNothingAndADryRunNeither() async throws {
        #expect(try await set("corp", pem, isDryRun: true).setting.version == 1)
        #expect(try await management.setting(kind: Self.kind, name: "corp") == nil)
        _ = try await set("corp", pem)
        #expect(try await set("corp", pem).isUnchanged)
        #expect(try await set("corp", try MadeRoot.pem()).setting.version == 2)
        let versions = try await management.settingVersions(kind: Self.kind, name: "corp", PageRequest())
        #expect(versions.items.map(\.version) == [2, 1])
    }

    @Test func whatIsNoSettingIsRefused() async throws {
        func refusal(_ kind: String, _ name: String, _ payload: JSONValue) async throws -> AdminRefusal? {
            try await management.setSetting(kind: kind, name: name, payload: payload, author: "admin").refusal
        }
        let payload = MadeRoot.payload(pem)
        #expect(try await refusal("wallpaper", "corp", payload) == .unknownSettingKind)
        #expect(try await refusal(Self.kind, "a/b", payload)?.kind == .invalid)
        #expect(try await refusal(Self.kind, ".corp", payload)?.kind == .invalid)
        let large = JSONValue.object(["certificate": .string(String(repeating: "a", count: SettingLimits.bytes))])
        #expect(try await refusal(Self.kind, "corp", large) == .tooLarge(limit: SettingLimits.bytes))
    }

    /// Group and setting stay while one is assigned to the other.
    @Test func whatIsAssignedStays() async throws {
        _ = try await management.createGroup(named: "pilot", author: "admin")
        _ = try await set("corp", pem)
        try await assign("corp", to: "pilot")
        let refused = try await management.removeSetting(kind: Self.kind, name: "corp", author: "admin")
        #expect(refused.refusal == .inUse("the group pilot"))
        #expect(try await management.removeGroup(named: "pilot", author: "admin") == .inUse("assignments"))
        _ = try #require(
            await management.unassignSetting(kind: Self.kind, name: "corp", from: "pilot", author: "admin").value)
        #expect(try await management.removeSetting(kind: Self.kind, name: "corp", author: "admin").value != nil)
        #expect(try await management.removeGroup(named: "pilot", author: "admin") == nil)
        #expect(try await set("corp", pem).setting.version == 2, "versions are counted on")
    }

    @Test func whatIsDoneIsInTheAuditLog() async throws {
        _ = try await set("corp", pem)
        try await assign("corp")
        _ = try await management.unassignSetting(kind: Self.kind, name: "corp", from: "all", author: "admin")
        _ = try await management.removeSetting(kind: Self.kind, name: "corp", author: "admin")
        let entries = try await fixture.store.auditEntries(after: 0, limit: 1_000).filter {
            $0.action.hasPrefix("setting.")
        }
        #expect(entries.map(\.action) == ["setting.set", "setting.assign", "setting.unassign", "setting.remove"])
        #expect(
            entries.map(\.subject) == [
                "root-certificate/corp", "all/root-certificate/corp", "all/root-certificate/corp",
                "root-certificate/corp",
            ])
    }

    /// A device that waits to be woken.
    private final class Sleeper: Sendable {
        private let signals = Mutex(0)

        var isWoken: Bool { signals.withLock { $0 > 0 } }

        /// Listens until the stream ends.
        func listen(to stream: AsyncStream<Void>) -> Task<Void, Never> {
            Task { for await _ in stream { signals.withLock { $0 += 1 } } }
        }
    }

    /// Has devices wait that know what they have; answers which of them a change wakes, one of which is `certain`.
    private func woken(
        _ devices: [(name: String, signer: Data)], certain: String, by change: () async throws -> Void
    ) async throws -> Set<String> {
        var sleepers: [String: Sleeper] = [:]
        var listening: [Task<Void, Never>] = []
        for (name, signer) in devices {
            _ = try await fixture.document(.declarationItems, device: name, signer: signer)
            let sleeper = Sleeper()
            listening.append(
                sleeper.listen(to: try await management.subscribe(fixture.context(name, signer: signer))))
            sleepers[name] = sleeper
        }
        try await change()
        try await eventually("\(certain) is woken") { sleepers[certain]?.isWoken == true }
        try management.wakeHub.disconnectAll()
        for task in listening { await task.value }
        return Set(sleepers.filter { $0.value.isWoken }.keys)
    }

    /// As with assignments of apps: devices of the group are woken, no others.
    @Test func theDevicesOfTheGroupAreWoken() async throws {
        let other = Data(repeating: 9, count: 32)
        try await fixture.enrol("D2", group: "other", signer: other)
        try await say([CertificateConfiguration.type])
        try await say([CertificateConfiguration.type], device: "D2", signer: other)
        _ = try await set("corp", pem)
        let woken = try await woken([("D1", Fixture.signer), ("D2", other)], certain: "D1") {
            try await assign("corp")
        }
        #expect(woken == ["D1"])
    }

    /// A change wakes those devices of its groups that are given something else by it: not one that does not take the
    /// type, nor one that has the same by another group.
    @Test func aDeviceThatIsGivenTheSameIsNotWoken() async throws {
        let (silent, taking) = (Data(repeating: 9, count: 32), Data(repeating: 8, count: 32))
        try await fixture.enrol("D2", group: "more", signer: silent)
        try await fixture.enrol("D3", group: "more", signer: taking)
        #expect(try await management.addDevice("D1", toGroup: "more", author: "admin").value != nil)
        try await say([CertificateConfiguration.type])
        try await say([CertificateConfiguration.type], device: "D3", signer: taking)
        _ = try await set("corp", pem)
        try await assign("corp")
        let woken = try await woken([("D1", Fixture.signer), ("D2", silent), ("D3", taking)], certain: "D3") {
            try await assign("corp", to: "more")
        }
        #expect(woken == ["D3"])
    }
}
