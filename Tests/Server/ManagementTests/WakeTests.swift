import DeviceMessages
import Foundation
import InputBounds
import Management
import Synchronization
import Testing
import Waiting

struct WakeTests {
    @Test func signalsCoalesce() async {
        let hub = WakeHub()
        let stream = hub.subscribe("D1", groups: ["a"])
        for _ in 0..<100 { hub.wake("D1") }
        hub.changed(groups: ["a"])
        hub.disconnect("D1")
        #expect(await stream.reduce(into: 0) { count, _ in count += 1 } == 1)
        #expect(hub.subscriberCount == 0)
    }

    @Test func wakesOnlyTheGroupsConcerned() async {
        let hub = WakeHub()
        let inside = hub.subscribe("D1", groups: ["a", "b"])
        let outside = hub.subscribe("D2", groups: ["c"])
        hub.changed(groups: ["b", "none"])
        hub.disconnectAll()
        #expect(await inside.reduce(into: 0) { count, _ in count += 1 } == 1)
        #expect(await outside.reduce(into: 0) { count, _ in count += 1 } == 0)
    }

    @Test func aNewerStreamReplacesTheOlder() async {
        let hub = WakeHub()
        let older = hub.subscribe("D1", groups: ["a"])
        let newer = hub.subscribe("D1", groups: ["a"])
        #expect(await older.reduce(into: 0) { count, _ in count += 1 } == 0)
        hub.wake("D1")
        hub.disconnect("D1")
        #expect(await newer.reduce(into: 0) { count, _ in count += 1 } == 1)
    }

    @Test func forgetsAStreamThatNobodyReads() async {
        let hub = WakeHub()
        let task = Task { for await _ in hub.subscribe("D1", groups: ["a"]) {} }
        while hub.subscriberCount == 0 { await Task.yield() }
        task.cancel()
        await task.value
        #expect(hub.subscriberCount == 0)
    }

    @Test func tellsTheOtherWaysToWake() {
        final class Recorder: Waker {
            let isActive = true
            let calls = Mutex<[String]>([])
            func wake(_ deviceKey: String) { calls.withLock { $0.append(deviceKey) } }
            func changed(groups: [String]) { calls.withLock { $0.append(contentsOf: groups) } }
        }
        let recorder = Recorder()
        let hub = WakeHub(others: [recorder])
        hub.wake("D1")
        hub.changed(groups: ["a"])
        #expect(recorder.calls.withLock { $0 } == ["D1", "a"])
    }

    /// Nothing is looked up to wake a device that nothing reaches.
    @Test func aDeviceIsReachedByItsStreamOrInAnotherWay() async {
        final class Push: Waker {
            let isActive = true
            func wake(_ deviceKey: String) {}
            func changed(groups: [String]) {}
        }
        let hub = WakeHub()
        let stream = hub.subscribe("D1", groups: [])
        #expect(hub.reaches("D1") && !hub.reaches("D2"))
        hub.disconnectAll()
        #expect(await stream.reduce(into: 0) { count, _ in count += 1 } == 0)
        #expect(!hub.reaches("D1"))
        #expect(WakeHub(others: [Push()]).reaches("D2"))
    }

    // MARK: With the rules

    @Test func aDeviceThatIsBehindIsWokenAtOnce() async throws {
        let fixture = try Fixture()
        try await fixture.enrol()
        #expect(try await first(fixture) { _ in })
        _ = try await fixture.document(.declarationItems)
        #expect(try await !first(fixture) { _ in }, "not when there is nothing")
        let management = try fixture.management
        _ = try await management.enqueue(
            .dictionary(["RequestType": .string("ProfileList")]), for: "D1", author: "a")
        #expect(try await first(fixture) { _ in }, "for a command that waits")
    }

    @Test func everyChangeWakesTheDevicesItConcerns() async throws {
        let fixture = try Fixture()
        try await fixture.enrol()
        try await fixture.assign()
        let changes: [@Sendable (Management) async throws -> Void] = [
            { _ in try await fixture.configure(value: "2") },
            { _ = try await $0.requestUpdateCheck(of: "com.example.app", author: "admin") },
            {
                _ = try await $0.putApp(
                    App(bundleIdentifier: "com.example.app", name: "n", teamIdentifier: "OTHER"), author: "admin")
            },
            {
                _ = try await $0.revertConfiguration(
                    app: "com.example.app", name: "main", to: 1, expected: .any, author: "a")
            },
            { _ = try await $0.unassign(app: "com.example.app", from: "all", author: "a") },
            {
                _ = try await $0.enqueue(
                    .dictionary(["RequestType": .string("ProfileList")]), for: "D1", author: "a")
            },
        ]
        for (number, change) in changes.enumerated() {
            _ = try await fixture.document(.declarationItems)
            #expect(try await first(fixture, change), "change \(number)")
        }
    }

    /// Whether a stream that is opened before a change has a signal after it.
    private func first(
        _ fixture: Fixture, _ change: @Sendable (Management) async throws -> Void
    ) async throws -> Bool {
        let management = try fixture.management
        let stream = try await management.subscribe(fixture.context())
        try await change(management)
        management.wakeHub.disconnect("D1")
        return await stream.contains { true }
    }

    /// A17: a small group hears of a change at once, a large one over a time that follows from its size.
    @Test func aLargeGroupIsWokenOverTime() async throws {
        let (beats, beat) = AsyncStream.makeStream(of: Void.self)
        let hub = WakeHub(rest: { _ in for await _ in beats { return } })
        let woken = Woken()
        let tasks = (0..<1_000).map { number in
            let stream = hub.subscribe("D\(number)", groups: ["all", number < 200 ? "few" : "many"])
            return Task { for await _ in stream { woken.numbers.withLock { _ = $0.insert(number) } } }
        }
        func areWoken(_ count: Int) async throws {
            try await eventually("\(count) are woken, of which \(woken.numbers.withLock { $0.count }) are") {
                woken.numbers.withLock { $0.count } >= count
            }
        }
        hub.changed(groups: ["few"])
        try await areWoken(200)
        #expect(woken.numbers.withLock { $0 } == Set(0..<200))
        woken.numbers.withLock { $0 = [] }
        hub.changed(groups: ["all"])
        // Again while they wait: whose turn comes hears of both then.
        hub.changed(groups: ["all"])
        try await areWoken(200)
        // So many are at once; the rest have to wait for the beat.
        #expect(hub.waitingCount == 800 && woken.numbers.withLock { $0.count } == 200)
        beat.yield()
        try await areWoken(225)
        try await eventually("nobody waits for a beat") { () -> Bool in
            beat.yield()
            return hub.waitingCount == 0
        }
        try await areWoken(1_000)
        beat.finish()
        hub.disconnectAll()
        for task in tasks { await task.value }
    }

    private final class Woken: Sendable {
        let numbers = Mutex<Set<Int>>([])
    }

    @Test func howeverManyThereAreTheLastIsWokenWithinAMinute() {
        let pace = WakePace()
        #expect(pace.perBeat(waiting: 1) == 25 && pace.perBeat(waiting: 15_000) == 25)
        #expect(pace.perBeat(waiting: 300_000) == 500)
    }
}
