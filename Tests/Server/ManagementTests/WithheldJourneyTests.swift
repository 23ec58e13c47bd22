import Foundation
import Testing

@testable import Management

/// A change is not on a device from which what it gives is withheld; what else is withheld does not concern it.
struct WithheldJourneyTests {
    private static let place = AssignmentSnapshot.SecretReference.Place(
        extension: nil, kind: .password, identifier: "login")
    private static let wifi = withheld(.secret(place, name: "wifi"), .noDeviceValue(secret: "wifi"))

    private static func withheld(
        _ subject: Withheld.Subject, _ reason: Withheld.Reason = .noValue(["person.email"]), of app: String = "a.b"
    ) -> Withheld {
        Withheld(app: app, subject: subject, reason: reason)
    }

    /// A change of the app `a.b` in the group `g`; that of a secret alone names neither.
    private static func change(_ kind: String, _ name: String) -> Change {
        var change = Change(kind: kind, time: Date(timeIntervalSince1970: 0), permission: .look)
        change.name = name
        if kind != "secret.set" { change.app = "a.b" }
        if kind == "assignment.set" || kind == "secret.assign" { change.group = "g" }
        return change
    }

    private static let changes = [
        change("configuration.revert", "main"), change("assignment.set", "main"), change("secret.assign", "wifi"),
        change("secret.assign", "vpn"), change("secret.set", "wifi"), change("assignment.remove", "main"),
    ]

    /// What is withheld, and which of the changes are there all the same.
    private static let cases: [(Withheld, [Bool])] = [
        (wifi, [true, true, false, true, false, true]),
        (withheld(.secret(place, name: "wifi"), of: "c.d"), [true, true, true, true, false, true]),
        (withheld(.configuration), [false, false, true, true, true, true]),
        (withheld(.extensionConfiguration("share")), [false, false, true, true, true, true]),
        (
            withheld(.configuration, .agentTooOld(minimum: SystemVersion([1]))),
            [false, false, false, false, true, true]
        ),
        (withheld(.app, .noSource(.macOS)), [false, false, false, false, true, true]),
        (withheld(.app, .noSource(.macOS), of: "c.d"), [true, true, true, true, true, true]),
    ]

    /// Red: with a secret withheld, a version of the configuration that the device has was on its way.
    @Test(arguments: cases)
    func aChangeIsNotThereWhereWhatItGivesIsWithheld(withheld: Withheld, isThere: [Bool]) {
        var settled = Change(.settle, device: "d1", groups: ["g"], time: Date(timeIntervalSince1970: 0))
        settled.withheld = [withheld]
        for (change, isThere) in zip(Self.changes, isThere) {
            #expect(settled.withholds(change) == !isThere, "\(change.kind) \(change.name ?? "")")
        }
    }

    @Test func aSettingIsNotThereWhereItIsWithheld() {
        var settled = Change(.settle, device: "d1", groups: ["g"], time: Date(timeIntervalSince1970: 0))
        settled.withheldSettings = [
            WithheldSetting(key: SettingKey(kind: "login-message", name: "hello"), reason: .ofAPerson)
        ]
        func isThere(_ kind: String, _ name: String) -> Bool {
            var change = Change(kind: kind, time: settled.time, permission: .look)
            change.name = name
            return !settled.withholds(change)
        }
        #expect(!isThere("setting.assign", "login-message/hello") && !isThere("setting.set", "login-message/hello"))
        #expect(isThere("setting.assign", "login-message/other") && isThere("setting.unassign", "login-message/hello"))
    }

    /// What is withheld by a later change is that change's matter.
    ///
    /// Red: a change that had arrived was on its way again.
    @Test func whatHasArrivedIsNotTakenBack() {
        var journeys = Journeys()
        journeys.begin(Journey(Self.change("secret.assign", "wifi"), groups: ["g"], devices: 1), at: 0)
        var settled = Change(.settle, device: "d1", groups: ["g"], time: Date(timeIntervalSince1970: 0))
        settled.withheld = [Self.wifi]
        for _ in 1...2 { journeys.follow(settled) }
        #expect(journeys.all.map(\.settled) == [0] && journeys.all.map(\.fetched) == [1])
        settled.withheld = []
        journeys.follow(settled)
        #expect(journeys.all.map(\.settled) == [1])
        settled.withheld = [Self.wifi]
        journeys.follow(settled)
        #expect(journeys.all.map(\.settled) == [1])
    }
}
