import Foundation
import Synchronization
import Testing

@testable import Management

/// What devices do is told to listeners, and to nobody else nothing is worked out.
struct UnheardChangeTests {
    private final class Clock: Sendable {
        private let offset = Mutex(Duration.zero)
        private let start = ContinuousClock.now
        var now: ContinuousClock.Instant { offset.withLock { start + $0 } }
        func advance(_ seconds: Int) { offset.withLock { $0 += .seconds(seconds) } }
    }

    private let clock = Clock()
    private let hub: ChangeHub

    init() {
        let clock = clock
        hub = ChangeHub(run: "r", now: { clock.now })
    }

    private func note(_ kind: Change.DeviceKind, _ groups: [String] = ["g"]) {
        hub.note(Change(kind, device: "d", groups: groups, time: Date(timeIntervalSince1970: 0)))
    }

    @Test func nothingIsKeptWhileNobodyListensAndTheNextListenerHearsOfAGap() throws {
        let before = hub.present
        note(.report)
        #expect(hub.take().changes.isEmpty)
        let listener = try #require(hub.listen(as: "a"))
        #expect(hub.changes(after: before, limit: 1) == nil, "something may be missing")
        #expect(hub.changes(after: hub.present, limit: 1) == [])
        note(.report)
        #expect(hub.take().changes.count == 1)
        listener.end()
    }

    /// A listener that lost its connection comes back to what it missed.
    @Test func aListenerThatComesBackSoonMissesNothing() async throws {
        let listener = try #require(hub.listen(as: "a"))
        let before = hub.present
        listener.end()
        while hub.listenerCount > 0 { await Task.yield() }
        note(.report)
        hub.tell(hub.take().changes.map(\.change))
        _ = try #require(hub.listen(as: "a"))
        #expect(hub.changes(after: before, limit: 9)?.map(\.kind) == ["device.report"])
    }

    @Test func aListenerThatComesBackLateHearsOfAGap() async throws {
        let listener = try #require(hub.listen(as: "a"))
        let before = hub.present
        listener.end()
        while hub.listenerCount > 0 { await Task.yield() }
        clock.advance(601)
        note(.report)
        #expect(hub.take().changes.isEmpty)
        _ = try #require(hub.listen(as: "a"))
        #expect(hub.changes(after: before, limit: 9) == nil)
    }

    /// Some ask now and then instead of listening.
    @Test func whoAskedForItsPlaceMissesNothing() {
        let before = hub.present
        _ = hub.text(before)
        clock.advance(599)
        note(.report)
        hub.tell(hub.take().changes.map(\.change))
        #expect(hub.changes(after: before, limit: 9)?.map(\.kind) == ["device.report"])
    }

    /// GET /overview says how far changes are, whether anybody listens or not.
    @Test func aChangeIsFollowedOnItsWayAlsoWhileNobodyListens() {
        var change = Change(kind: "configuration.set", time: Date(timeIntervalSince1970: 0), permission: .lookInside)
        (change.app, change.name, change.version) = ("a.b", "main", 1)
        hub.begin(Journey(change, groups: ["g"], devices: 0))
        for kind in [Change.DeviceKind.report, .fetch, .settle] { note(kind) }
        note(.settle, ["other"])
        let left = hub.take().changes.map(\.change)
        #expect(left.map(\.kind) == ["device.fetch", "device.settle"])
        hub.tell(left)
        // A device that came after the change began counts on both sides: there is no "1 of 0".
        #expect(hub.journeys.map { [$0.fetched, $0.settled, $0.devices] } == [[1, 1, 1]])
    }

    /// What is on record and not told yet may be a change to follow: what devices do behind it is kept.
    @Test func whatFollowsUponAChangeThatIsNotToldYetIsKept() {
        hub.logGrew()
        note(.fetch)
        #expect(hub.take().changes.count == 1)
        hub.keepUp(with: 1)
        note(.fetch)
        #expect(hub.take().changes.isEmpty)
    }
}
