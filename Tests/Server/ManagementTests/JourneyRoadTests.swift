import DeviceMessages
import Foundation
import GRDB
import InputBounds
import Management
import Synchronization
import Testing

@testable import StoreSQLite

/// How far a change is on its way, counted from what is on disk and from what devices do.
struct JourneyRoadTests {
    private final class Counts: Sendable {
        let number = Mutex(0)
    }

    private static let signers = ["D1": Fixture.signer, "D2": Data(repeating: 8, count: 32)]
    private let fixture: Fixture

    init() throws { fixture = try Fixture() }

    private func report(_ device: String, system: String) async throws {
        var report = StatusReport()
        report.set(.string("Linux"), at: DeviceAudience.family)
        report.set(.string(system), at: DeviceAudience.version)
        let signer = try #require(Self.signers[device])
        #expect(try await fixture.ask(.status, data: report.encoded(), device: device, signer: signer) == .done)
    }

    /// Gives an app to the devices with version 13 or newer, which both of them have.
    private func assignByRule() async throws {
        let management = try fixture.management
        for (device, signer) in Self.signers { try await fixture.enrol(device, signer: signer) }
        let rule = try GroupRule(parsing: "os = linux and os-version >= 13")
        _ = try #require(await management.createGroup(named: "new", rule: rule, author: "admin").value)
        for device in Self.signers.keys { try await report(device, system: "13") }
        try await fixture.assign(group: "new")
    }

    /// Red: a device that a rule of a group moved away was among those to which a change was on its way.
    @Test func aDeviceThatARuleMovesAwayIsNotConcernedAnyMore() async throws {
        let management = try fixture.management
        try await assignByRule()
        let place = try await management.tellChanges(after: 0)
        let begun = try await management.journeys()
        #expect(begun.map(\.change.kind) == ["assignment.set", "configuration.set"])
        #expect(begun.map(\.devices) == [2, 2])
        // Nobody listens, and the groups in which it is from now on are not those of the change.
        try await report("D1", system: "12")
        _ = try await management.tellChanges(after: place)
        let left = try await management.journeys()
        #expect(left.map(\.devices) == [1, 1])
    }

    /// Red where the devices of a group are counted anew whenever one of them moved, also while nobody asks.
    @Test func devicesAreCountedAnewOnlyForWhoAsks() async throws {
        let management = try fixture.management
        try await assignByRule()
        var place = try await management.tellChanges(after: 0)
        let counts = Counts()
        try await fixture.store.read { db in
            db.trace { event in
                guard case .statement(let statement) = event else { return }
                guard statement.sql.contains("SELECT COUNT(*) FROM enrollment e ") else { return }
                counts.number.withLock { $0 += 1 }
            }
        }
        for system in ["12", "13", "12"] {
            try await report("D1", system: system)
            place = try await management.tellChanges(after: place)
        }
        #expect(counts.number.withLock { $0 } == 0)
        for _ in 0..<2 {
            let journeys = try await management.journeys()
            #expect(journeys.map(\.devices) == [1, 1])
            #expect(counts.number.withLock { $0 } == 1, "both changes are of one group")
        }
    }

    /// Red: right after an enrollment a change was still for no device.
    @Test func aDeviceThatEnrollsIsConcernedAtOnce() async throws {
        let management = try fixture.management
        _ = try await management.createGroup(named: "all", author: "admin")
        try await fixture.assign()
        _ = try await management.tellChanges(after: 0)
        let before = try await management.journeys()
        #expect(!before.isEmpty && before.allSatisfy { $0.devices == 0 })
        try await fixture.enrol()
        // Nothing has told of the enrollment yet.
        let after = try await management.journeys()
        #expect(after.count == before.count && after.allSatisfy { $0.devices == 1 && $0.settled == 0 })
    }

    /// Red: a secret had arrived on a device that said that it gives the app no secrets.
    @Test func aSecretThatTheDeviceKeepsFromTheAppHasNotArrived() async throws {
        let management = try fixture.management
        try await fixture.enrol()
        try await fixture.assign()
        let value = SecretValue.password(userName: nil, password: "0000")
        _ = try #require(await management.setSecret("pin", to: value, author: "admin").value)
        let slot = SecretSlot(group: "all", app: "com.example.app", kind: .password, identifier: "login")
        _ = try #require(await management.assignSecret("pin", to: slot, author: "admin").value)
        var place = try await management.tellChanges(after: 0)
        let trust = StatusReason(code: AppStatus.secretsWithheld)
        for reasons in [[trust], []] {
            try await settle(AppStatus(identifier: "com.example.app", state: "managed", reasons: reasons))
            place = try await management.tellChanges(after: place)
            let arrived = try await management.journeys().filter { $0.settled == 1 }.map(\.change.kind)
            #expect(arrived.contains("configuration.set"))
            #expect(arrived.contains("secret.assign") == reasons.isEmpty, "\(arrived)")
            let explained = try #require(await management.explain("D1").value)
            #expect(explained.apps.flatMap(\.secrets).map(\.isMissing) == [!reasons.isEmpty])
        }
    }

    /// The device reports on exactly what it is given, and on an app.
    private func settle(_ app: AppStatus) async throws {
        guard case .document(let data) = try await fixture.ask(.declarationItems) else { return }
        let items = try DeclarationItems(parsing: data)
        func told(_ kind: DeclarationKind) -> [DeclarationStatus] {
            items[kind].map { item in
                DeclarationStatus(
                    identifier: item.identifier, serverToken: item.serverToken, active: true, valid: .valid)
            }
        }
        var statuses = DeclarationStatuses()
        statuses.activations = told(.activation)
        statuses.assets = told(.asset)
        statuses.configurations = told(.configuration)
        statuses.management = told(.management)
        var report = StatusReport(fullReport: true)
        report.set(statuses.value, at: DeclarationStatuses.name)
        report.set(.array([app.value]), at: AppStatus.name)
        #expect(try await fixture.ask(.status, data: report.encoded()) == .done)
    }

    /// A server follows the changes that are made while it runs, and says since when that is.
    @Test func changesAreFollowedSinceTheServerStarted() async throws {
        try await fixture.enrol()
        try await fixture.assign()
        let place = try await fixture.management.tellChanges(after: 0)
        let followed = try await fixture.management.journeys()
        #expect(!followed.isEmpty)
        #expect(try fixture.management.journeysSince == Fixture.start)
        fixture.advance(60)
        try fixture.restart()
        _ = try await fixture.management.tellChanges(after: place)
        let afterwards = try await fixture.management.journeys()
        #expect(afterwards.isEmpty)
        #expect(try fixture.management.journeysSince == Fixture.start + 60)
    }
}
