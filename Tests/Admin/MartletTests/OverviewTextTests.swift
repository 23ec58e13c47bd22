import AdminMessages
import Foundation
import Testing
import martlet

/// What `martlet overview` says of apps and changes.
struct OverviewTextTests {
    private func line(_ name: String, of overview: Overview) -> String? {
        OverviewText.text(overview).split(separator: "\n").first { $0.hasPrefix(name) }.map(String.init)
    }

    private func overview(_ apps: [AppOverview] = [], _ changes: [ChangeJourney] = []) -> Overview {
        Overview(
            devices: DeviceCounts(enrolled: 3, enrolling: 0, checkedOut: 0, withdrawn: 0),
            silent: BoundedCount(count: 0, isMore: false), openEnrollmentCodes: BoundedCount(count: 0, isMore: false),
            apps: apps, changes: changes)
    }

    private func change(version: Int = 1, devices: Int, settled: Int, refused: Int = 0) -> ChangeJourney {
        ChangeJourney(
            kind: "configuration.set", time: Date(timeIntervalSince1970: 0), app: "a.b", name: "main",
            version: version, group: nil, devices: devices, fetched: settled, settled: settled, refused: refused)
    }

    /// Red where an app that three devices are to have is "on 1 device".
    @Test func anAppIsOnSomeOfThoseThatAreToHaveIt() {
        var states = AppStateCounts()
        (states.decoded, states.waiting) = (1, 1)
        let app = AppOverview(
            bundleIdentifier: "a.b", name: "A", devices: 1, refusals: 0, groups: 1, states: states,
            unreported: BoundedCount(count: 1, isMore: false))
        let text = line("a.b", of: overview([app]))
        #expect(text?.contains("  on 1 of 3 devices") == true, "\(text ?? "")")
    }

    /// Red where a change that all its devices have is still "on its way".
    @Test(arguments: [(1, "on its way"), (2, "arrived")]) func aChangeArrives(settled: Int, word: String) {
        let change = self.change(devices: 2, settled: settled)
        let text = line(word, of: overview([], [change]))
        #expect(text?.hasSuffix("on \(settled) of 2") == true, "\(text ?? "")")
    }

    /// Red where a configuration that no group with a device is given has "arrived: on 0 of 0".
    @Test func aChangeForNoDeviceHasNotArrived() {
        let change = self.change(devices: 0, settled: 0)
        let overview = overview([], [change])
        let text = line("for no device", of: overview)
        #expect(text?.hasSuffix("set a.b main version 1: no device is meant yet") == true, "\(text ?? "")")
        #expect(line("arrived", of: overview) == nil)
    }

    /// Red: a change that every device had was "on its way: on 2 of 2", because an app refused it.
    @Test func whatAnAppRefusesIsNotOnItsWay() {
        let change = self.change(version: 5, devices: 2, settled: 2, refused: 1)
        let overview = overview([], [change])
        let text = line("refused", of: overview)
        #expect(text?.hasSuffix("a.b main version 5: on 2 of 2, refused on 1") == true, "\(text ?? "")")
        #expect(line("on its way", of: overview) == nil)
    }

    @Test func aSecretWithoutValueIsNamed() {
        var overview = overview()
        overview.secretsWithoutValue = ["wifi"]
        let text = line("secret", of: overview)
        #expect(text?.hasSuffix("wifi has no value: set it again") == true, "\(text ?? "")")
    }

    /// Red: after a restart of the server nothing said that earlier changes are not among these.
    @Test func theOverviewSaysSinceWhenItFollowsChanges() {
        var overview = overview()
        #expect(line("changes since", of: overview) == nil, "a server from before does not say it")
        overview.changesSince = Date(timeIntervalSince1970: 1_800_000_000)
        let text = line("changes since", of: overview)
        #expect(text?.hasSuffix("  2027-01-15T08:00:00Z, when the server started") == true, "\(text ?? "")")
    }
}
