import DeviceMessages
import Foundation
import InputBounds
import Management
import Testing

/// What is told of changes: after they are on disk, in order, and only to who may know.
struct ChangeTests {
    private static let app = "com.example.app"

    /// The kinds that are told while `act` is done, until `last` was; on a real store.
    private func told(
        _ fixture: Fixture, until last: String, _ act: () async throws -> Void
    ) async throws -> [Change] {
        let management = try fixture.management
        let follower = Task { await management.followChanges() }
        defer { follower.cancel() }
        let hub = management.changes
        let listener = try #require(hub.listen(as: "test"))
        defer { listener.end() }
        await hub.begun()
        var place = hub.present
        try await act()
        var changes: [Change] = []
        for await _ in listener.signals {
            while let new = hub.changes(after: place, limit: 2), !new.isEmpty {
                changes += new
                place += new.count
            }
            if changes.contains(where: { $0.kind == last }) { break }
        }
        return changes
    }

    @Test(.timeLimit(.minutes(10))) func whatIsOnTheRecordIsToldInItsOrderWithItsNames() async throws {
        let fixture = try Fixture()
        try await fixture.enrol()
        let management = try fixture.management
        let changes = try await told(fixture, until: "device.withdraw") {
            try await fixture.assign()
            let value = SecretValue.password(userName: nil, password: "planted")
            let slot = SecretSlot(group: "all", app: Self.app, kind: .password, identifier: "login")
            _ = try await management.setSecret("pin", to: value, author: "alice")
            _ = try await management.assignSecret("pin", to: slot, author: "alice")
            _ = try await management.withdraw("D1", author: "alice")
        }
        #expect(
            changes.map(\.kind) == [
                "app.set", "configuration.set", "assignment.set", "secret.set", "secret.assign", "device.withdraw",
            ])
        #expect(changes.map(\.app) == [Self.app, Self.app, Self.app, nil, Self.app, nil])
        #expect(changes.map(\.name) == [nil, "main", "main", "pin", "pin", nil])
        #expect(changes.map(\.version) == [nil, 1, nil, 1, nil, nil])
        #expect(changes.map(\.group) == [nil, nil, "all", nil, "all", nil])
        #expect(changes.map(\.device) == [nil, nil, nil, nil, nil, "D1"])
        // A device that left is in no group any more.
        #expect(changes.last?.deviceGroups == [])
        #expect(changes.map(\.actor).last == "administrator:alice")
        #expect(!"\(changes)".contains("planted"))
        let sequences = changes.compactMap(\.sequence)
        #expect(sequences == sequences.sorted() && Set(sequences).count == 6)
    }

    /// Whoever waits for it is told no less than is on the record, also right after a change was answered.
    @Test(.timeLimit(.minutes(10))) func whoeverWaitsHearsOfAllThatWasAnswered() async throws {
        let fixture = try Fixture()
        let management = try fixture.management
        let follower = Task { await management.followChanges() }
        let hub = management.changes
        await hub.begun()
        for number in 1...50 {
            let before = hub.present
            _ = try await management.createGroup(named: "g\(number)", author: "admin")
            await hub.caughtUp()
            #expect(hub.present == before + 1)
        }
        follower.cancel()
        await follower.value
        // Nobody tells any more, and nobody waits for it.
        _ = try await management.createGroup(named: "late", author: "admin")
        await hub.caughtUp()
    }

    @Test(.timeLimit(.minutes(10))) func whatADeviceDoesIsToldTogetherWithItsRefusals() async throws {
        let fixture = try Fixture()
        try await fixture.enrol()
        try await fixture.assign()
        let refused = AppStatus(
            identifier: Self.app, shortVersion: "1", configState: .init(app: "invalid"),
            reasons: [StatusReason(code: AppStatus.configurationRefused, details: .object(["Code": .integer(3)]))])
        let taken = AppStatus(identifier: Self.app, shortVersion: "1", configState: .init(app: "valid"))
        let changes = try await told(fixture, until: "device.accept") {
            _ = try await fixture.ask(.declarationItems)
            for status in [refused, refused, taken] {
                var report = StatusReport()
                report.set(.array([status.value]), at: AppStatus.name)
                // The same report again is no news.
                fixture.advance(1)
                _ = try await fixture.ask(.status, data: report.encoded())
            }
        }.filter { $0.kind.hasPrefix("device.") }
        #expect(changes.filter { $0.kind == "device.refuse" }.map(\.app) == [Self.app])
        #expect(changes.filter { $0.kind == "device.refuse" }.map(\.name) == ["main"])
        #expect(changes.first?.kind == "device.fetch")
        #expect(changes.allSatisfy { $0.device == "D1" && $0.deviceGroups == ["all"] })
        #expect(changes.last?.kind == "device.accept" || changes.last?.kind == "device.report")
    }
}

/// Who may be told what.
struct ShownChangeTests {
    private func entry(
        _ action: AuditEntry.Action, _ subject: String, _ details: String = "{}", by actor: String = "administrator:a"
    ) -> Change {
        Change(
            AuditEntry(
                sequence: 1, time: Date(timeIntervalSince1970: 0), actor: actor, action: action.rawValue,
                subject: subject, details: details, hash: Data()))
    }

    /// Each change asks for what its own operation asks for: whoever may not read a configuration hears of none.
    @Test func eachRoleHearsOfWhatItMayRead() {
        let all = AuditEntry.Action.allCases.map { entry($0, "a.b/c") }
        func kinds(_ role: Role) -> Set<String> { Set(all.compactMap { Rights(role: role).shown($0)?.kind }) }
        #expect(kinds(.administrator).count == all.count)
        #expect(kinds(.auditor).count == all.count)
        let hidden = Set(all.map(\.kind)).subtracting(kinds(.reader))
        #expect(
            hidden.map { $0.split(separator: ".")[0] }.allSatisfy {
                [
                    "administrator", "session", "token", "webhook", "job", "master-key", "audit", "store", "identity",
                    "secret", "push-credential", "escrow",
                ].contains($0)
            })
        #expect(hidden.contains("secret.release") && !hidden.contains("secret.set"))
        #expect(kinds(.helpDesk).isDisjoint(with: ["configuration.set", "secret.set", "administrator.set"]))
        #expect(kinds(.helpDesk).isSuperset(of: ["device.enroll", "assignment.set", "group.create"]))
        #expect(kinds(.appOwner) == [])
    }

    @Test func onlyWhoMayReadTheLogIsToldWhoDidIt() {
        let change = entry(.setGroupRule, "g")
        #expect(Rights(role: .reader).shown(change)?.actor == nil)
        #expect(Rights(role: .auditor).shown(change)?.actor == "administrator:a")
    }

    /// An owner of apps hears of their apps, groups, and devices in these; not of what names another, and not of what names
    /// none.
    @Test func anOwnerOfAppsHearsOfWhatIsTheirs() {
        let owner = Rights(role: .appOwner, apps: ["a.b"], groups: ["g"])
        func hears(_ change: Change) -> Bool { owner.shown(change) != nil }
        #expect(hears(entry(.setConfiguration, "a.b/main")) && !hears(entry(.setConfiguration, "a.c/main")))
        #expect(hears(entry(.setAssignment, "g/a.b")) && !hears(entry(.setAssignment, "g/a.c")))
        #expect(!hears(entry(.setAssignment, "h/a.b")) && !hears(entry(.setAssignment, "g/a.b/a.b")))
        #expect(hears(entry(.setGroupRule, "g")) && !hears(entry(.setGroupRule, "h")))
        #expect(!hears(entry(.setPerson, "anna")) && !hears(entry(.setSecret, "wifi")))
        #expect(hears(Change(.report, device: "d", groups: ["g", "h"], time: Date())))
        #expect(!hears(Change(.report, device: "d", groups: ["h"], time: Date())))
        #expect(!hears(Change(.report, device: "d", groups: [], time: Date())))
        var refused = Change(.refuse, device: "d", groups: ["g"], time: Date())
        refused.app = "a.c"
        #expect(!hears(refused))
    }

    /// A token hears what both may hear, it and its administrator.
    @Test func aTokenHearsNoMoreThanItsAdministrator() {
        let owner = Rights(role: .appOwner, apps: ["a.b"], groups: ["g"])
        let token = Rights(role: .administrator).forToken(isReadOnly: true, administers: false, of: owner)
        #expect(token.shown(entry(.setConfiguration, "a.b/main")) != nil)
        #expect(token.shown(entry(.setConfiguration, "a.c/main")) == nil)
        #expect(token.shown(Change(.report, device: "d", groups: ["h"], time: Date())) == nil)
        let limited = Rights(role: .reader).forToken(isReadOnly: true, administers: false, of: .all)
        #expect(limited.shown(entry(.createAdministrator, "b")) == nil)
    }
}

/// What a listener that was away is told.
struct ChangeWindowTests {
    private func filled(_ count: Int, size: Int = 4) -> ChangeWindow {
        var window = ChangeWindow(run: "r", size: size)
        for number in 0..<count { window.add(change(number)) }
        return window
    }

    private func change(_ number: Int) -> Change {
        Change(kind: "\(number + 1)", time: Date(timeIntervalSince1970: 0), permission: .look)
    }

    @Test(arguments: [0, 1, 3, 4, 5, 9, 12]) func itHasTheLastChangesAndKnowsWhenOneIsGone(count: Int) {
        let window = filled(count)
        for place in 0...(count + 2) {
            let there = place <= count && place >= max(0, count - 4)
            let found = window.changes(after: place, limit: 9)
            #expect((found != nil) == there)
            if let found { #expect(found.map(\.kind) == (place..<count).map { "\($0 + 1)" }) }
        }
        #expect(window.changes(after: max(0, count - 2), limit: 1)?.count == min(1, count))
    }

    @Test func aPlaceIsNamedByItsProcess() {
        let window = filled(6)
        #expect(window.place(window.text(6)) == 6 && window.place("r-2") == 2)
        for text in ["r-1", "r-7", "s-6", "r-06", "r-6-", "6", "", "r--6", "r-99999999999999999999"] {
            #expect(window.place(text) == nil, "\(text)")
        }
    }

    @Test func afterAGapNothingFromBeforeItIsTold() {
        var window = filled(6)
        let before = window.last
        window.skip()
        #expect(window.changes(after: before, limit: 9) == nil)
        #expect(window.changes(after: window.last, limit: 9) == [])
        window.add(change(7))
        #expect(window.changes(after: window.last - 1, limit: 9)?.map(\.kind) == ["8"])
        #expect(window.changes(after: window.last - 2, limit: 9) == nil)
    }
}

/// Who leaves word and who listens never wait for each other.
struct ChangeHubTests {
    private func bounds(_ set: (inout ChangeHub.Bounds) -> Void) -> ChangeHub.Bounds {
        var bounds = ChangeHub.Bounds()
        set(&bounds)
        return bounds
    }

    @Test func noMoreListenThanMay() throws {
        let hub = ChangeHub(
            run: "r",
            bounds: bounds {
                $0.listeners = 3
                $0.ofOne = 2
            })
        let first = try #require(hub.listen(as: "anna"))
        let second = try #require(hub.listen(as: "anna"))
        #expect(hub.listen(as: "anna") == nil)
        let third = try #require(hub.listen(as: "ben"))
        #expect(hub.listen(as: "clara") == nil)
        first.end()
        #expect(hub.listenerCount == 2)
        #expect(hub.listen(as: "anna") != nil)
        second.end()
        third.end()
    }
}
