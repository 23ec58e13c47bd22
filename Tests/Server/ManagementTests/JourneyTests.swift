import Foundation
import Testing

@testable import Management

/// How far a change is on its way to devices.
struct JourneyTests {
    private let moment = Date(timeIntervalSince1970: 0)

    private func set(_ version: Int, of name: String = "main") -> Change {
        var change = Change(kind: "configuration.set", time: moment, permission: .lookInside)
        (change.app, change.name, change.version) = ("a.b", name, version)
        return change
    }

    private func device(
        _ kind: Change.DeviceKind, _ device: String, in groups: [String] = ["g"], version: Int? = nil, at place: Int = 9
    ) -> Change {
        var change = Change(kind, device: device, groups: groups, time: moment)
        if kind == .refuse || kind == .accept { (change.app, change.name, change.version) = ("a.b", "main", version) }
        change.place = place
        return change
    }

    private func counts(_ journeys: Journeys) -> [[Int]] { journeys.all.map { [$0.fetched, $0.settled, $0.refused] } }

    @Test func eachDeviceCountsOnceAndOnlyWhereItIsConcerned() {
        var journeys = Journeys()
        journeys.begin(Journey(set(2), groups: ["g"], devices: 3), at: 5)
        for _ in 1...2 { journeys.follow(device(.fetch, "d1")) }
        journeys.follow(device(.fetch, "d2", in: ["h"]))
        #expect(counts(journeys) == [[1, 0, 0]])
        for _ in 1...2 { journeys.follow(device(.settle, "d1")) }
        // That it fetched went unnoticed; that it has it did not.
        journeys.follow(device(.settle, "d3"))
        #expect(counts(journeys) == [[2, 2, 0]])
    }

    /// S4-GOAL-08: never more devices have fetched a change than it concerns.
    @Test func aDeviceThatCameLaterIsConcernedToo() {
        var journeys = Journeys()
        journeys.begin(Journey(set(2), groups: ["g"], devices: 1), at: 5)
        for name in ["d1", "d2"] { journeys.follow(device(.fetch, name)) }
        #expect(journeys.all.map(\.devices) == [2] && counts(journeys) == [[2, 0, 0]])
    }

    /// What a device fetched before the change was told may be what was there before.
    @Test func aFetchFromBeforeIsNotCounted() {
        var journeys = Journeys()
        journeys.begin(Journey(set(2), groups: ["g"], devices: 3), at: 5)
        journeys.follow(device(.fetch, "d1", at: 4))
        #expect(counts(journeys) == [[0, 0, 0]])
        journeys.follow(device(.fetch, "d1", at: 5))
        #expect(counts(journeys) == [[1, 0, 0]])
    }

    @Test func aRefusalCountsForTheVersionItIsOfAndNoLongerThanItStands() {
        var journeys = Journeys()
        journeys.begin(Journey(set(2), groups: ["g"], devices: 3), at: 0)
        journeys.follow(device(.refuse, "d1", version: 1))
        #expect(counts(journeys) == [[0, 0, 0]])
        for _ in 1...2 { journeys.follow(device(.refuse, "d1", version: 2)) }
        #expect(counts(journeys) == [[0, 0, 1]])
        journeys.follow(device(.accept, "d1", version: 2))
        journeys.follow(device(.accept, "d2", version: 2))
        #expect(counts(journeys) == [[0, 0, 0]])
    }

    /// An app refuses a configuration, and neither a secret nor that it was given to a group.
    ///
    /// Red: a refused configuration took changes of the same app back that had arrived.
    @Test func aRefusalConcernsNoOtherChangeOfTheApp() {
        var given = Change(kind: "assignment.set", time: moment, permission: .look)
        (given.app, given.name, given.group) = ("a.b", "main", "g")
        var secret = Change(kind: "secret.assign", time: moment, permission: .look)
        (secret.app, secret.name, secret.group) = ("a.b", "wifi", "g")
        var journeys = Journeys()
        for change in [given, secret, set(1, of: "other"), set(5)] {
            journeys.begin(Journey(change, groups: ["g"], devices: 1), at: 0)
        }
        journeys.follow(device(.settle, "d1"))
        journeys.follow(device(.refuse, "d1", version: 5))
        #expect(counts(journeys) == [[1, 1, 1], [1, 1, 0], [1, 1, 0], [1, 1, 0]])
        var other = device(.accept, "d1", version: 1)
        other.name = "other"
        journeys.follow(other)
        #expect(counts(journeys).first == [1, 1, 1], "that another configuration is taken says nothing of this one")
    }

    @Test func aNewerChangeOfTheSameThingTakesThePlaceOfTheOlder() {
        var journeys = Journeys()
        journeys.begin(Journey(set(2), groups: ["g"], devices: 1), at: 0)
        journeys.begin(Journey(set(1, of: "other"), groups: ["g"], devices: 1), at: 0)
        journeys.begin(Journey(set(3), groups: ["g"], devices: 1), at: 0)
        #expect(journeys.all.map(\.change.version) == [3, 1])
        for number in 1...20 { journeys.begin(Journey(set(1, of: "n\(number)"), groups: ["g"], devices: 1), at: 0) }
        #expect(journeys.all.count == Journeys.most && journeys.all.first?.change.name == "n20")
    }

    /// Red: a deleted secret was on its way for as long as the server ran.
    @Test func whatWasTakenAwayIsOnItsWayNoMore() {
        func secret(_ kind: String, app: String? = nil, group: String? = nil) -> Change {
            var change = Change(kind: kind, time: moment, permission: .lookInside)
            (change.app, change.name, change.group) = (app, "wifi", group)
            return change
        }
        var journeys = Journeys()
        journeys.begin(Journey(set(2), groups: ["g"], devices: 3), at: 0)
        journeys.begin(Journey(secret("secret.set"), groups: ["g"], devices: 3), at: 0)
        journeys.begin(Journey(secret("secret.unassign", app: "a.b", group: "g"), groups: ["g"], devices: 3), at: 0)
        journeys.end(secret("secret.remove"))
        // That it leaves the devices is on its way still.
        #expect(journeys.all.map(\.change.kind) == ["secret.unassign", "configuration.set"])
        var removal = Change(kind: "configuration.remove", time: moment, permission: .lookInside)
        (removal.app, removal.name) = ("a.b", "other")
        journeys.end(removal)
        #expect(journeys.all.count == 2)
        removal.name = "main"
        journeys.end(removal)
        #expect(journeys.all.map(\.change.kind) == ["secret.unassign"])
        var group = Change(kind: "group.remove", time: moment, permission: .look)
        group.group = "g"
        journeys.end(group)
        #expect(journeys.all.isEmpty)
    }

    /// Red: a change stayed on its way to a device that had left.
    @Test func aDeviceThatLeftCountsNoMore() {
        var journeys = Journeys()
        journeys.begin(Journey(set(2), groups: ["g"], devices: 2), at: 0)
        for name in ["d1", "d2"] { journeys.follow(device(.settle, name)) }
        var departure = Change(kind: "device.group.remove", time: moment, permission: .look)
        (departure.device, departure.deviceGroups) = ("d2", ["g", "h"])
        journeys.leave(departure)
        #expect(counts(journeys) == [[2, 2, 0]], "it is in a group still that the change concerns")
        departure.deviceGroups = []
        journeys.leave(departure)
        journeys.recount(1, in: ["g"])
        #expect(counts(journeys) == [[1, 1, 0]] && journeys.all.map(\.devices) == [1])
    }

    /// Red: a secret had arrived on a device that gives the app no secrets, because it trusts the app too little.
    @Test func aSecretHasNotArrivedWhereTheAppLacksIt() {
        var given = Change(kind: "secret.assign", time: moment, permission: .look)
        (given.app, given.name, given.group) = ("a.b", "wifi", "g")
        let slot = SecretSlot(group: "g", app: "a.b", kind: .password, identifier: "login")
        var journeys = Journeys()
        journeys.begin(Journey(set(2), groups: ["g"], devices: 2), at: 0)
        journeys.begin(Journey(given, groups: ["g"], slots: [slot], devices: 2), at: 0)
        func say(_ kind: Change.DeviceKind, _ lacked: [LackedSecret], _ name: String = "d1") {
            var change = device(kind, name)
            change.lackedSecrets = Set(lacked)
            #expect(journeys.follows(change))
            journeys.follow(change)
        }
        let all = LackedSecret(app: "a.b", identifier: nil)
        say(.settle, [all])
        #expect(counts(journeys) == [[1, 0, 0], [1, 1, 0]], "the configuration is there")
        say(.settle, [LackedSecret(app: "c.d", identifier: nil), LackedSecret(app: "a.b", identifier: "other")], "d2")
        #expect(counts(journeys) == [[2, 1, 0], [2, 2, 0]], "what other apps and places lack does not matter")
        say(.report, [])
        #expect(counts(journeys).first == [2, 2, 0], "the device gives it by now")
        say(.report, [LackedSecret(app: "a.b", identifier: "login")], "d2")
        #expect(counts(journeys).first == [2, 1, 0])
        var departure = Change(kind: "device.group.remove", time: moment, permission: .look)
        departure.device = "d2"
        journeys.leave(departure)
        #expect(counts(journeys).first == [1, 1, 0])
    }

    /// Red where a slow count overwrote one that was begun after a further device had left.
    @Test func aCountFromBeforeAFurtherDepartureIsDropped() throws {
        let hub = ChangeHub(run: "r")
        hub.begin(Journey(set(2), groups: ["g"], devices: 3))
        #expect(hub.uncountedDepartures == nil)
        hub.miscount()
        let slow = try #require(hub.uncountedDepartures)
        hub.miscount()
        let quick = try #require(hub.uncountedDepartures)
        hub.recount([["g"]: 1], after: quick)
        hub.recount([["g"]: 2], after: slow)
        #expect(hub.journeys.map(\.devices) == [1] && hub.uncountedDepartures == nil)
    }

    /// Red: a device that a rule of a group moved away counted on.
    @Test func aDeviceThatARuleMovedAwayCountsNoMore() {
        var journeys = Journeys()
        journeys.begin(Journey(set(2), groups: ["g"], devices: 2), at: 0)
        for name in ["d1", "d2"] { journeys.follow(device(.settle, name)) }
        #expect(journeys.follows("device.move", in: ["h"]), "it may have left a group that a change concerns")
        journeys.follow(device(.move, "d1", in: ["g", "h"]))
        #expect(counts(journeys) == [[2, 2, 0]], "it is in a group still that the change concerns")
        journeys.follow(device(.move, "d1", in: ["h"]))
        journeys.recount(1, in: ["g"])
        #expect(counts(journeys) == [[1, 1, 0]] && journeys.all.map(\.devices) == [1])
    }

    /// So many devices are told apart at once; those that only journeys knew that have ended make room for others.
    @Test func aDeviceIsForgottenWithTheLastJourneyThatKnowsIt() {
        var journeys = Journeys(devices: 4)
        journeys.begin(Journey(set(1), groups: ["g"], devices: 9), at: 0)
        journeys.begin(Journey(set(1, of: "other"), groups: ["h"], devices: 9), at: 0)
        // A device in neither group needs no room.
        for number in 1...9 { journeys.follow(device(.settle, "elsewhere\(number)", in: ["i"])) }
        for name in ["a", "b", "c"] { journeys.follow(device(.settle, name)) }
        journeys.follow(device(.settle, "x", in: ["h"]))
        journeys.follow(device(.settle, "d"))
        #expect(counts(journeys) == [[1, 1, 0], [3, 3, 0]], "a fifth is not told apart")
        journeys.begin(Journey(set(2), groups: ["g"], devices: 9), at: 0)
        for name in ["d", "e", "f", "a"] { journeys.follow(device(.settle, name)) }
        journeys.follow(device(.settle, "x", in: ["h"]))
        for name in ["d", "e", "f"] { journeys.follow(device(.settle, name)) }
        #expect(counts(journeys) == [[3, 3, 0], [1, 1, 0]], "each once, and a fifth again not")
    }
}
