import DeviceMessages
import Foundation
import InputBounds
import Testing

@testable import Management

/// What follows from a group's rule for devices: they are put in, woken and given what the group has (A16).
struct GroupMembershipTests {
    private static let app = "com.example.app"
    private let fixture: Fixture

    /// A device in `all`, and the app for those that run Linux 13 or newer.
    init() async throws {
        fixture = try Fixture()
        try await fixture.enrol()
        let rule = try GroupRule(parsing: "os = linux and os-version >= 13")
        _ = try #require(await fixture.management.createGroup(named: "new", rule: rule, author: "admin").value)
        try await fixture.assign(group: "new")
    }

    private func report(system: String, app: String? = nil) async throws {
        var report = StatusReport()
        report.set(.string("Linux"), at: DeviceAudience.family)
        report.set(.string(system), at: DeviceAudience.version)
        if let app { report.set(.array([AppStatus(identifier: app, shortVersion: "1").value]), at: AppStatus.name) }
        #expect(try await fixture.ask(.status, data: report.encoded()) == .done)
    }

    private func given() async throws -> [String] {
        try #require(await fixture.management.explain("D1").value).apps.map(\.app.bundleIdentifier)
    }

    @Test func aReportThatMeetsTheRuleWakesTheDeviceForWhatItIsGivenNow() async throws {
        let management = try fixture.management
        try await report(system: "12")
        let token = try #require(await fixture.document(.tokens)?["SyncTokens"]?["DeclarationsToken"]?.string)
        _ = try await fixture.ask(.declarationItems)
        let stream = try await management.subscribe(fixture.context())
        #expect(try await given().isEmpty)
        try await report(system: "13.1")
        #expect(try await given() == [Self.app])
        let other = try await fixture.document(.tokens)?["SyncTokens"]?["DeclarationsToken"]?.string
        #expect(other != token)
        try await report(system: "12.9")
        #expect(try await given().isEmpty)
        management.wakeHub.disconnectAll()
        #expect(await stream.reduce(into: 0) { count, _ in count += 1 } == 1)
    }

    /// The wake-up stream follows the device: a change of what its new group is given reaches it.
    @Test func aDeviceThatJoinedHearsOfItsGroupsChanges() async throws {
        let management = try fixture.management
        try await report(system: "12")
        _ = try await fixture.ask(.declarationItems)
        let stream = try await management.subscribe(fixture.context())
        try await report(system: "14")
        _ = try await fixture.ask(.declarationItems)
        var signals = stream.makeAsyncIterator()
        _ = await signals.next()
        try await fixture.configure(value: "2")
        management.wakeHub.disconnectAll()
        #expect(await signals.next() != nil)
    }

    @Test func itIsExplainedWithWhatWasFound() async throws {
        try await report(system: "13.1")
        let found = try #require(await fixture.management.explain("D1").value)
        let group = try #require(found.groups.first { $0.name == "new" })
        #expect(group.findings.map(\.condition.text) == ["os = linux", "os-version >= 13"])
        #expect(group.findings.map(\.found) == ["linux", "13.1"] && group.findings.allSatisfy(\.holds))
        #expect(found.groups.first { $0.name == "all" }?.rule == nil)
    }

    /// A server that ends while it judges the fleet goes on when it begins again.
    @Test func judgingGoesOnWhereAServerEnded() async throws {
        var names = ["D1"]
        for number in 2...(GroupRuleLimits.batch + 20) {
            names.append("E\(number)")
            try await fixture.enrol(
                "E\(number)",
                signer: Data((0..<32).map { UInt8(truncatingIfNeeded: $0 == 0 ? number : $0 == 1 ? number >> 8 : 77) }))
        }
        let rule = try GroupRule(parsing: "kind = device")
        let group = try #require(await fixture.management.createGroup(named: "every", rule: rule, author: "a").value)
        #expect(group.devices == GroupRuleLimits.atOnce && group.isJudging)
        try fixture.restart()
        let management = try fixture.management
        var calls = management.judging.calls.makeAsyncIterator()
        #expect(await calls.next() != nil, "the one who judges is called when a server begins")
        try await management.judgeGroups()
        let judged = try #require(await management.group(named: "every"))
        #expect(judged.devices == names.count && !judged.isJudging)
    }

    /// Also where a server ended in between: nothing of a large group that was removed stays behind.
    @Test func whoJudgesEmptiesGroupsThatWereRemoved() async throws {
        for number in 2...5 {
            try await fixture.enrol("D\(number)", signer: Data(repeating: UInt8(number), count: 32))
        }
        let rule = try GroupRule(parsing: "kind = device")
        _ = try #require(await fixture.management.createGroup(named: "every", rule: rule, author: "a").value)
        let refusal = try await fixture.management.store.removeGroup(
            named: "every", limit: 2, author: "a", now: Date())
        #expect(refusal == nil)
        try fixture.restart()
        #expect(try await fixture.management.device("D5")?.groups == ["all"])
        var calls = try fixture.management.judging.calls.makeAsyncIterator()
        #expect(await calls.next() != nil)
        try await fixture.management.judgeGroups()
        #expect(try await !fixture.management.store.emptyRemoved(limit: 2))
    }

    @Test func whoJudgesIsCalledWhenAGroupIsRemoved() async throws {
        let isCalled = try await fixture.callsWhoJudges {
            _ = try #require(await fixture.management.createGroup(named: "gone", author: "a").value)
            #expect(try await fixture.management.removeGroup(named: "gone", author: "a") == nil)
        }
        #expect(isCalled)
    }

    /// Of a large fleet most devices may be away: what they get now is found out when they come.
    @Test func aDeviceThatMovesIsReadOnlyIfItCanBeWoken() async throws {
        let management = try fixture.management
        try await fixture.enrol("D2", signer: Data(repeating: 9, count: 32), serial: "S2")
        let stream = try await management.subscribe(fixture.context())
        let rule = try GroupRule(parsing: "kind = device")
        _ = try #require(await management.createGroup(named: "every", rule: rule, author: "a").value)
        func isRead(_ device: String) async throws -> Bool {
            var isKept = true
            _ = try await management.contexts.context(device) {
                isKept = false
                return nil
            }
            return isKept
        }
        #expect(try await isRead("D1"))
        #expect(try await !isRead("D2"))
        #expect(try await management.device("D2")?.groups == ["all", "every"])
        withExtendedLifetime(stream) {}
    }

    /// The same for what a device needs, when something of its person changes.
    @Test func whatADeviceNeedsIsReadOnlyIfItCanBeWoken() async throws {
        let management = try fixture.management
        try await fixture.enrol("D2", group: "two", signer: Data(repeating: 9, count: 32), serial: "S2")
        let stream = try await management.subscribe(fixture.context())
        #expect(try await management.putPerson(Person(userName: "ada"), author: "a").value != nil)
        for device in ["D1", "D2"] {
            #expect(try await management.setPerson("ada", ofDevice: device, author: "a") == nil)
        }
        func isRead(_ group: String) async throws -> Bool {
            struct Unread: Error {}
            do {
                _ = try await management.manifests.assigned([group]) { throw Unread() }
                return true
            } catch is Unread {
                return false
            }
        }
        management.manifests.forget(groups: ["all", "two"])
        let ada = Person(userName: "ada", details: [.email: "ada@example.com"])
        #expect(try await management.putPerson(ada, author: "a").value != nil)
        #expect(try await isRead("all"))
        #expect(try await !isRead("two"))
        withExtendedLifetime(stream) {}
    }

    @Test func aPreviewSaysWhoIsInJoinsAndLeavesAndChangesNothing() async throws {
        let management = try fixture.management
        try await report(system: "13")
        try await fixture.enrol("D2", signer: Data(repeating: 9, count: 32), serial: "S2")
        let other = try GroupRule(parsing: "not os-version >= 13")
        let found = try #require(await management.preview(other, of: "new", first: 5).value)
        #expect(found.members.first == ["D2"] && found.joining.first == ["D2"] && found.leaving.first == ["D1"])
        #expect(found.names["D2"]?.serialNumber == "S2")
        let fresh = try #require(await management.preview(other, of: nil, first: 5).value)
        #expect(fresh.joining.count == 1 && fresh.leaving.count == 0)
        let bounded = try #require(
            await management.preview(GroupRule(parsing: "kind = device"), of: nil, first: 1).value)
        #expect(bounded.members.count == 2 && bounded.members.first == ["D1"])
        #expect(try await management.device("D1")?.groups == ["all", "new"])
        #expect(found.judged == 2 && found.next == nil)
        #expect(try await management.preview(other, of: "none", first: 1).refusal == .unknownGroup)
    }

    @Test func ofALargeFleetPartsAreJudgedOneAfterTheOther() async throws {
        let management = try fixture.management
        for number in 2...5 {
            try await fixture.enrol(
                "D\(number)", signer: Data(repeating: UInt8(number), count: 32), serial: "S\(number)")
        }
        let rule = try GroupRule(parsing: "kind = device")
        var keys: [String] = []
        var sizes: [Int] = []
        var after: String? = ""
        while let key = after {
            let part = try #require(await management.preview(rule, of: "new", first: 9, after: key, part: 2).value)
            keys += part.members.first
            sizes.append(part.judged)
            after = part.next
        }
        #expect(keys == ["D1", "D2", "D3", "D4", "D5"] && sizes == [2, 2, 1])
    }

    /// A device that leaves a group by its rule loses what the group gave it, as by hand.
    @Test func whoLeavesLosesTheGroupsSecrets() async throws {
        let management = try fixture.management
        try await report(system: "13")
        let value = SecretValue.password(userName: nil, password: "p")
        _ = try #require(await management.setSecret("wifi", to: value, author: "admin").value)
        let slot = SecretSlot(group: "new", app: Self.app, extension: nil, kind: .password, identifier: "w")
        _ = try #require(await management.assignSecret("wifi", to: slot, author: "admin").value)
        let context = try await fixture.context()
        #expect(try await management.explain("D1").value?.apps.first?.secrets.count == 1)
        #expect(try await management.credential(name: "wifi", version: 1, for: context).value != nil)
        try await report(system: "12")
        #expect(try await management.credential(name: "wifi", version: 1, for: fixture.context()).value == nil)
    }
}
