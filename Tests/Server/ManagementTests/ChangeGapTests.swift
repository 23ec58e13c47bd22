import DeviceMessages
import Foundation
import Testing

@testable import Management

/// More at once than is read or kept at once: all of it is told, or that it is missing.
struct ChangeGapTests {
    private let fixture: Fixture
    private let listener: ChangeListener

    init() throws {
        fixture = try Fixture()
        listener = try #require(try fixture.management.changes.listen(as: "test"))
    }

    private func happen(_ devices: String...) throws {
        for device in devices {
            try fixture.management.changes.note(Change(.report, device: device, groups: [], time: Fixture.start))
        }
    }

    /// Every listener learns of what was lost, once; what came afterwards is told.
    @Test func whatWasLostIsToldAsMissingOnce() async throws {
        let management = try fixture.management
        let hub = management.changes
        try happen("told")
        _ = try await management.tellChanges(after: 0)
        let before = hub.present
        for number in 0...ChangeHub.Bounds().waiting { try happen("d\(number)") }
        _ = try await management.tellChanges(after: 0)
        #expect(hub.changes(after: before, limit: 1) == nil)
        let after = hub.present
        #expect(hub.changes(after: after - 1, limit: 9)?.map(\.device) == ["d8192"])
        try happen("later")
        _ = try await management.tellChanges(after: 0)
        #expect(hub.changes(after: after, limit: 9)?.map(\.device) == ["later"])
    }

    /// One change may leave more entries than are read at once.
    @Test func allEntriesOfOneTransactionAreTold() async throws {
        let management = try fixture.management
        let table = "userName\n" + (1...1_200).map { "p\($0)" }.joined(separator: "\n")
        _ = try #require(await management.importPeople(Data(table.utf8), dryRun: false, author: "admin").value)
        let before = management.changes.present
        #expect(try await management.tellChanges(after: 0) == 1_200)
        #expect(management.changes.present - before == 1_200)
        #expect(try await management.tellChanges(after: 1_200) == 1_200)
        #expect(management.changes.present - before == 1_200)
    }

    /// What was told since a place in the hub, and the place after it in the log.
    private func told(_ place: inout Int) async throws -> [Change] {
        let management = try fixture.management
        let before = management.changes.present
        place = try await management.tellChanges(after: place)
        return try #require(management.changes.changes(after: before, limit: 1_000))
    }

    private func report(_ items: DeclarationItems) async throws {
        func held(_ kind: DeclarationKind) -> [DeclarationStatus] {
            items[kind].map {
                DeclarationStatus(
                    identifier: $0.identifier, serverToken: $0.serverToken, active: true, valid: .valid)
            }
        }
        let statuses = DeclarationStatuses(
            activations: held(.activation), configurations: held(.configuration), assets: held(.asset),
            management: held(.management))
        var report = StatusReport(fullReport: true)
        report.set(statuses.value, at: DeclarationStatuses.name)
        fixture.advance(1)
        #expect(try await fixture.ask(.status, data: report.encoded()) == .done)
    }

    private func items() async throws -> DeclarationItems {
        guard case .document(let data) = try await fixture.ask(.declarationItems) else { throw CancellationError() }
        return try DeclarationItems(parsing: data)
    }

    /// That a device has what it should have is told behind the report that says so, once for each set of it.
    @Test func thatADeviceHasItAllIsToldOnce() async throws {
        try await fixture.enrol()
        try await fixture.assign()
        var place = 0
        _ = try await told(&place)
        let first = try await items()
        _ = try await told(&place)
        try await report(first)
        #expect(try await told(&place).map(\.kind) == ["device.report", "device.settle"])
        try await report(first)
        #expect(try await told(&place).map(\.kind) == ["device.report"])
        try await fixture.configure(value: "2")
        #expect(try await told(&place).map(\.kind) == ["configuration.set"])
        try await report(first)
        #expect(try await told(&place).map(\.kind) == ["device.report"])
        let second = try await items()
        #expect(try await told(&place).map(\.kind) == ["device.fetch"])
        try await report(second)
        #expect(try await told(&place).map(\.kind) == ["device.report", "device.settle"])
    }

    /// What is on the record of a device concerns whoever has its groups.
    @Test func anEntryOfADeviceIsToldWithItsGroups() async throws {
        try await fixture.enrol()
        var place = 0
        _ = try await told(&place)
        _ = try await fixture.management.createGroup(named: "pilots", author: "admin")
        _ = try await fixture.management.addDevice("D1", toGroup: "pilots", isForced: false, author: "admin")
        let change = try #require(await told(&place).last)
        #expect(change.kind == "device.group.add" && change.deviceGroups.sorted() == ["all", "pilots"])
        let owner = Rights(role: .appOwner, apps: ["a.b"], groups: ["pilots"])
        #expect(owner.shown(change)?.device == "D1")
    }
}
