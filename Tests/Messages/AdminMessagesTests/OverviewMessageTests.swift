import AdminMessages
import Foundation
import Testing

/// What the command line and the console say of the overview's numbers.
struct OverviewMessageTests {
    private func change(settled: Int, of devices: Int, refused: Int = 0) -> ChangeJourney {
        ChangeJourney(
            kind: "configuration.set", time: Date(timeIntervalSince1970: 0), app: "a.b", name: "main", version: 1,
            group: nil, devices: devices, fetched: settled, settled: settled, refused: refused)
    }

    /// Red: what every device had was said to be on its way.
    @Test func whatHasArrivedIsOnItsWayNoMore() {
        #expect(!change(settled: 1, of: 2).hasArrived)
        #expect(change(settled: 2, of: 2).hasArrived)
        #expect(!change(settled: 2, of: 2, refused: 1).hasArrived, "somebody has to look at it")
    }

    /// Red: an app was "on 1 device" where three were to have it.
    @Test func anAppConcernsThoseThatReportItAndThoseThatHaveYetTo() {
        var states = AppStateCounts()
        (states.decoded, states.waiting) = (1, 1)
        let app = AppOverview(
            bundleIdentifier: "a.b", name: "A", devices: 1, refusals: 0, groups: 1, states: states,
            unreported: BoundedCount(count: 1, isMore: false))
        #expect(app.concerned == 3)
    }
}
